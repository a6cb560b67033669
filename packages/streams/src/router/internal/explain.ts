import { type Target as Explained, handlerName } from '@sallyport/core';
import { isObject, readRecords, textOf } from '../../sources/internal/loose-record.js';
import { parseSourceArn, RECORD_SOURCES, type RecordKind } from '../../sources/source.js';
import type { Registry, Target } from './registry.js';

type Outcome = Pick<Explained, 'handler' | 'posture' | 'outcome'>;

/** Which handlers a batch or a list of notifications would reach. Runs nothing. */
export function explainRecords(registry: Registry, kind: RecordKind, event: unknown): Explained {
  const records = readRecords(event) ?? [];
  const targets = registry.resolve(kind, records);
  const source = RECORD_SOURCES[kind];
  const sources = new Map<string, { name: string; records: number; handler: string | null }>();
  records.forEach((record, index) => {
    const target = targets[index];
    const name = target?.source.name ?? parseSourceArn(source, textOf(source.arnOf(record)))?.name ?? '';
    const entry = sources.get(name) ?? { name, records: 0, handler: target ? nameOf(target) : null };
    entry.records += 1;
    sources.set(name, entry);
  });
  return {
    sources: [...sources.values()],
    ...outcomeOf(targets.includes(undefined) ? undefined : targets[0]),
    projection: kind === 'topic' ? 'list of results' : 'batch report',
  };
}

/** Which handler an event-bus event would reach. Runs nothing. */
export function explainEvent(registry: Registry, event: unknown): Explained {
  const [target] = isObject(event) ? registry.resolve('event-bus', [event]) : [];
  return { ...(target && { route: target.registration.name }), ...outcomeOf(target), projection: 'result or null' };
}

function outcomeOf(target: Target | undefined): Outcome {
  return { handler: target ? nameOf(target) : null, posture: null, outcome: target ? 'handled' : 'no_handler' };
}

function nameOf({ registration }: Target): string {
  return handlerName(registration.handler);
}
