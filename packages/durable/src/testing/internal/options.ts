import { boolean, defineOptions, func, integer, kind, list, object, text } from '@sallyport/core/options';
import type {
  BuildDurable,
  ExploreOptions,
  FakeDurableServiceOptions,
  RunDurableOptions,
  SweepOptions,
} from '../types.js';

const NO_FUNCTIONS: NonNullable<RunDurableOptions['functions']> = {};
const NO_CALLBACKS: NonNullable<RunDurableOptions['callbacks']> = {};
const NO_NAMES: readonly string[] = [];
const NO_HISTORIES: readonly unknown[] = [];

const SERVICE = {
  now: kind<Date | number>('a valid Date or a number of milliseconds', (value) =>
    Number.isFinite(value instanceof Date ? value.getTime() : value),
  ),
  environment: object<NonNullable<RunDurableOptions['environment']>>(),
  functions: object<NonNullable<RunDurableOptions['functions']>>().default(NO_FUNCTIONS),
  pageSize: integer(1),
};
const RUN = {
  ...SERVICE,
  callbacks: object<NonNullable<RunDurableOptions['callbacks']>>().default(NO_CALLBACKS),
  handoff: boolean.default(false),
  name: text(),
  timeoutSeconds: integer(1, 31_622_400).default(31_622_400),
  maxInvocations: integer(1).default(100),
};

/** Validators and defaults for {@link FakeDurableServiceOptions}. */
export const FAKE_DURABLE_SERVICE_OPTIONS = defineOptions<FakeDurableServiceOptions>()(SERVICE);

/** Validators and defaults for {@link RunDurableOptions}. */
export const RUN_DURABLE_OPTIONS = defineOptions<RunDurableOptions>()(RUN);

/** Validators and defaults for {@link SweepOptions}. */
export const SWEEP_OPTIONS = defineOptions<SweepOptions>()({
  ...RUN,
  atMostOnce: list(text()).default(NO_NAMES),
  check: func<NonNullable<SweepOptions['check']>>(),
});

/** Validators and defaults for {@link ExploreOptions}. */
export const EXPLORE_OPTIONS = defineOptions<ExploreOptions>()({
  ...RUN,
  seeds: integer(0).default(5),
  next: func<BuildDurable>(),
  histories: list(kind<unknown>('an exported history', () => true)).default(NO_HISTORIES),
  functionName: text(),
});
