import { defineOptions } from '@sallyport/core/options';
import { buildEventBusEvent, buildScheduledEvent } from '../builders/event-bus.js';
import { buildTopicEvent } from '../builders/topic.js';
import { ASYNC_SETTINGS, type AsyncEvent, type AsyncSettings, createAsyncEngine } from '../engines/async.js';
import type { Engine } from '../engines/engine.js';
import { filled, positive } from '../internal/kinds.js';
import { drive } from './internal/drive.js';
import type { BuildApp, Ledger } from './internal/ledger.js';
import type { SimulationResult } from './result.js';
import type { AsyncSource, ScheduleSource } from './source.js';
import type { AsynchronousSource } from './trigger-source.js';

/** Options of {@link simulate} for a topic, an event bus or a schedule: those of the asynchronous invocation and of the function. */
export interface AsyncSimulation extends AsyncSettings {
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** The alias of the function that the service invokes: `cellar` for an AWS IoT rule. Default: none. */
  readonly alias?: string;
}

/** Validators and defaults for {@link AsyncSimulation}. */
export const ASYNC_SIMULATION = defineOptions<AsyncSimulation>()({
  ...ASYNC_SETTINGS,
  timeoutMs: positive.default(30_000),
  alias: filled,
});

export async function simulateAsync(
  buildApp: BuildApp,
  source: AsyncSource | AsynchronousSource,
  options: AsyncSimulation | undefined,
): Promise<SimulationResult> {
  const { timeoutMs, alias, ...settings } = ASYNC_SIMULATION.parse(options);
  return drive<AsyncEvent>(buildApp, {
    size: source.kind === 'schedule' ? source.times : source.events.length,
    timeoutMs,
    alias,
    prepare: () => (parts) => createAsyncEngine({ ...parts, ...settings }),
    feed: (engine, clock) =>
      source.kind === 'schedule' ? fire(source, engine, clock) : void engine.send(eventsOf(source)),
  });
}

function eventsOf(source: Exclude<AsyncSource, ScheduleSource> | AsynchronousSource): AsyncEvent[] {
  if (source.kind === 'asynchronous') return source.events.map((event, index) => ({ id: `event-${index + 1}`, event }));
  if (source.kind === 'topic') {
    return source.events.map((message, index) => {
      const id = message.messageId ?? `sns-${index + 1}`;
      return { id, event: buildTopicEvent(source.arn, [{ ...message, messageId: id }]) };
    });
  }
  return source.events.map((event, index) => {
    const id = event.id ?? `evt-${index + 1}`;
    return { id, event: buildEventBusEvent({ ...event, id }) };
  });
}

/** Sends an event each time that the schedule is due; the first one after one interval. */
async function fire(source: ScheduleSource, engine: Engine<AsyncEvent>, clock: Ledger['clock']): Promise<void> {
  for (let n = 1; n <= source.times; n += 1) {
    await new Promise<void>((resolve) => {
      clock.after(source.everyMs, resolve);
    });
    const id = `evt-${n}`;
    engine.send([{ id, event: buildScheduledEvent({ schedule: source.name, id, time: clock.now() }) }]);
  }
}
