// Counts the polls of an idle client: every GET of a function is a billed invocation.
import { setTimeout as pause } from 'node:timers/promises';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const IDLE_MS = 10_000;
const INFO = { name: 'idle', version: '1.0.0' };

/** GETs of each official client that connects, in the session era, and does nothing for ten seconds. */
export async function countIdleGets(judged) {
  const counts = [];
  for (const [client, connect] of [
    ['SDK 1.x', () => connectWith(new Client1(INFO), new Transport1(new URL(judged.url)))],
    [
      'SDK 2.x',
      () =>
        connectWith(new Client2(INFO, { versionNegotiation: { mode: 'legacy' } }), new Transport2(new URL(judged.url))),
    ],
  ]) {
    const before = judged.gets;
    const connected = await connect();
    await pause(IDLE_MS);
    counts.push({ client, gets: judged.gets - before });
    await connected.close();
  }
  return counts;
}

async function connectWith(client, transport) {
  await client.connect(transport);
  return client;
}
