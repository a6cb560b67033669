import { isObject } from '@sallyport/core/internal';
import { ASYNC_SETTINGS } from '@sallyport/testkit/engines';
import {
  buildEventBusEvent,
  buildScheduledEvent,
  type EventBusEvent,
  type EventBusOptions,
  type ScheduledOptions,
} from '@sallyport/testkit/events';
import { toArn } from '../../aws/names.js';
import { anySetting, mapOf, namedSettings } from '../../config/kinds.js';
import { AsyncSource } from '../../sources/async.js';
import type { Receiver } from '../../sources/receiver.js';
import type { SourceRun, SourceType } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import type { LocalService } from '../service.js';
import { createEvents, DEFAULT_BUS } from './operations.js';
import { type BusConfig, isSelected, ruleFilter, type Selector } from './rule-filter.js';
import { Schedule, type ScheduleConfig } from './schedule.js';

/** Event buses. A registration selects events of any bus, so it has no name. */
const buses: SourceType<AsyncSource, 'event-bus', 'buses'> = {
  kind: 'event-bus',
  config: { member: 'buses', values: namedSettings({ ...ASYNC_SETTINGS, rules: anySetting }) },
  data: 'detail',
  form: {
    label: 'Bus event',
    target: 'bus',
    fields: {
      source: ['text', 'test.source'],
      detailType: ['text', 'Test Event'],
      detail: ['json', 'an object'],
      resources: ['list', 'ARNs, one per line'],
    },
  },
  arn: (name) => toArn('events', `event-bus/${name}`),
  create(run, name, settings: BusConfig) {
    const engineOf = ({ rules, ...engine }: BusConfig) => engine;
    return new AsyncSource(buses, name, run, {
      settings,
      engineOf,
      filterOf({ function: fn, settings: { rules } }: Receiver & { readonly settings: BusConfig }) {
        const filter = ruleFilter(name, rules);
        return (event: EventBusEvent) => {
          const handlers = handlersOf(run, event, fn);
          // In a run of several functions, each receives only the events that its selectors match.
          return (fn === undefined || handlers.length > 0) && filter(event, handlers);
        };
      },
    });
  },
  register(run, { selector = {} }) {
    const schedule = selector.scheduleName ?? selector.ruleName;
    if (schedule !== undefined) run.get(schedules, schedule);
    else run.get(buses, DEFAULT_BUS);
  },
  hasHandler: (_name, triggers) => triggers.some((trigger) => trigger.kind === 'event-bus'),
  send: (run, name, records, traceId) =>
    records.map((record) => putEvent(run, name, record as EventBusOptions, traceId)),
  event: (_name, options) => buildEventBusEvent(options as unknown as EventBusOptions),
};

/** Schedules, and rules with a schedule. */
const schedules: SourceType<Schedule, 'schedule', 'schedules'> = {
  kind: 'schedule',
  config: {
    member: 'schedules',
    values: mapOf<ScheduleConfig>(
      'an object with { expression, input? } for each name',
      (value) => isObject(value) && 'expression' in value && typeof value.expression === 'string',
    ),
  },
  form: { label: 'Schedule', target: 'schedule', fields: { detail: ['json', 'its input'] } },
  arn: (name) => toArn('events', `rule/${name}`),
  create: (run, name, settings: Partial<ScheduleConfig>) =>
    new Schedule(schedules, name, run, { expression: '', ...settings }),
  hasHandler: (name, triggers) =>
    triggers.some(({ selector }) => selector?.ruleName === name || selector?.scheduleName === name),
  send: (run, name, records) => records.map(({ detail }) => run.get(schedules, name).fire(detail)),
  event: (name, options) => buildScheduledEvent({ schedule: name, ...options } as ScheduledOptions),
};

/** Puts an event on a bus. An event that no selector matches is listed and not delivered. @returns its id */
function putEvent(run: SourceRun, bus: string, options: EventBusOptions, traceId?: string): string {
  const source = run.get(buses, bus);
  const id = options.id ?? newId();
  const time = new Date(Math.floor(run.clock.now().getTime() / 1000) * 1000);
  const event = buildEventBusEvent({ time, ...options, id });
  if (!run.inspection().isOurs || handlersOf(run, event).length > 0) return source.send(id, event, traceId);
  source.refuse(id, event, 'no selector');
  run.notice(`no selector matches the event ${event.source}, ${event['detail-type']} of the bus ${bus}`);
  return id;
}

/** The selectors that match an event. @param fn their function; `undefined` for any function */
function handlersOf(run: SourceRun, event: EventBusEvent, fn?: string): readonly Selector[] {
  const { triggers } = run.inspection();
  const selectors = triggers
    .filter((trigger) => trigger.kind === 'event-bus' && (fn === undefined || trigger.function === fn))
    .map(({ selector = {} }) => selector);
  return selectors.filter((selector) => isSelected(selector, event));
}

/** EventBridge. */
export const eventBridge = {
  name: 'events',
  sources: [buses, schedules],
  operations: ({ sources }) => createEvents((bus, options, traceId) => putEvent(sources, bus, options, traceId)),
} as const satisfies LocalService;
