import process from 'node:process';
import { S3Server } from './server.ts';

/** The server as a program of its own: says its OBJECT_STORE_URL and runs until it is killed. */

const server = await S3Server.start({ teardown: () => undefined });
process.stdout.write(`${server.url}\n`);
