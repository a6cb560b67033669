// The cost of an idle client with a listener for an hour: reads of the store, and seconds of a unit of the function's
// concurrency. Run with `node --conditions=@sallyport/source --import tsx bench/listener.ts`.
import { ManualClock } from '@sallyport/core/testing';
import { memoryMcpStore } from '../src/index.js';
import { counting } from '../test/support/counting.js';
import { Rig, readAll } from '../test/support/rig.js';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 22);

async function hourOf(listenMs: number | undefined) {
  const clock = new ManualClock(START);
  const store = counting(memoryMcpStore({ clock }));
  const server = { store, changes: true, ...(listenMs === undefined ? {} : { listenMs }) };
  const rig = new Rig({
    clock,
    server,
    streaming: true,
    remainingMs: 900_000,
    register: (made) => made.tool('t', {}, () => ''),
  });
  const session = await rig.connect();
  let lastEventId: string | undefined;
  let heldMs = 0;
  let invocations = 0;
  const end = clock.now().getTime() + HOUR_MS;
  while (clock.now().getTime() < end) {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const began = clock.now().getTime();
    const opened = await rig.open('GET', '', session.sent({ headers }));
    let text: string | undefined;
    const reading = readAll(opened.body).then((whole) => {
      text = whole;
    });
    while (text === undefined) await clock.advance(1000);
    await reading;
    heldMs += clock.now().getTime() - began;
    invocations += 1;
    lastEventId = /^id: (.*)$/m.exec(text)?.[1];
    clock.tick(Number(/^retry: (\d+)$/m.exec(text)?.[1] ?? 0));
  }
  const { get = 0, list = 0, put = 0 } = store.counts;
  return {
    listenMs: listenMs ?? 'default',
    invocations,
    reads: get + list,
    writes: put,
    'slot seconds': heldMs / 1000,
  };
}

console.table([await hourOf(undefined), await hourOf(60_000), await hourOf(300_000)]);
