"""Says hello, hands one operation in, and prints what came: by a client that nobody here wrote."""

import json
import sys

library, url, credential, name = sys.argv[1:5]
hello = {"kind": "hello", "protocol": 1, "writer": name, "lastSeq": None}


def submit(head):
    payload = {"sheet": "Sheet1", "cells": [{"a1": "A1", "input": name}]}
    operation = {"id": name + "-1", "kind": "cells.set", "payload": payload}
    return {"kind": "submit_ops", "submission": "s", "baseSeq": head, "ops": [operation]}


def talk(send, receive):
    send(json.dumps(hello))
    seen = [json.loads(receive())]
    send(json.dumps(submit(seen[0]["head"])))
    while seen[-1]["kind"] != "ack":
        seen.append(json.loads(receive()))
    print(json.dumps([seen[0]["kind"], seen[-1]["status"], seen[-1]["head"]]))


if library == "websockets":
    from websockets.sync.client import connect

    headers = {"Authorization": "Bearer " + credential}
    with connect(url, subprotocols=["workbook.v1.json"], additional_headers=headers) as socket:
        assert socket.subprotocol == "workbook.v1.json"
        talk(socket.send, socket.recv)
else:
    import websocket

    headers = ["Authorization: Bearer " + credential]
    socket = websocket.create_connection(url, subprotocols=["workbook.v1.json"], header=headers)
    assert socket.getsubprotocol() == "workbook.v1.json"
    talk(socket.send, socket.recv)
    socket.close()
