import { nowMs } from '../../http/internal/exchange.js';
import type { Question } from '../../run/internal/ask.js';
import type { Run } from '../../run/internal/run.js';
import { freshMemory, packMemory, type RecordedAnswer } from '../../run/internal/run-memory.js';
import { storeOf } from '../../server/internal/core.js';
import { questionText } from './call-stream.js';
import type { SessionRequest } from './session-call.js';
import { newStreamId, StreamLog } from './stream-log.js';

const LOOK_EVERY_MS = 200;

/**
 * Asks on an open stream and waits for the answer, which another instance may receive: each question has a head of its
 * own in the store, under which the answer is looked for.
 */
export async function hold(origin: SessionRequest, question: Question, run: Run): Promise<RecordedAnswer> {
  const { core, exchange, session, protocolVersion, request } = origin;
  const now = () => nowMs(exchange.clock);
  const log = new StreamLog(core, session.partition ?? '', newStreamId(), now);
  const { key, digest } = question;
  const saved = log.save({
    ...{ state: 'waiting', protocolVersion, request, next: 1, lease: 0, since: now(), hold: true },
    memory: packMemory(freshMemory()),
    pending: [{ key, digest }],
  });
  await run.track(saved);
  run.send(questionText(log.id, question));
  let answer: RecordedAnswer | undefined;
  while (answer === undefined && !run.isOver) {
    await new Promise<void>((resolve) => exchange.clock.after(LOOK_EVERY_MS, resolve));
    if (run.isOver) break;
    const found = await run.track(StreamLog.read(core, session.partition ?? '', log.id, now));
    if (!found) break;
    answer = new Map(found.head.memory.a).get(key);
  }
  if (!run.isOver) await run.track(storeOf(core).take({ partition: log.partition, sort: '!' }));
  return answer ?? { digest };
}
