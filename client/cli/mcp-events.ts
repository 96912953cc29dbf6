/** Reads a stream of server-sent events; yields the parsed message of each. */
export async function* readEvents(response: Response): AsyncGenerator<unknown, void, undefined> {
  const body = response.body as AsyncIterable<Uint8Array> | null;
  if (body === null) return;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      const data = lines.map((line) => line.slice('data:'.length).trimStart()).join('\n');
      if (data !== '') yield JSON.parse(data) as unknown;
    }
  }
}
