export type { CallbackOptions, Durable, Duration, Json, MapOptions, Retry, StepContext, StepOptions } from './types.js';
