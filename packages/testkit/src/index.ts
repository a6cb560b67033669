// Events

// Parts
export { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
// Environment
export {
  type ContainerOptions,
  createTestEnv,
  type DirectApp,
  type LambdaApp,
  type TestEnv,
  type TestEnvOptions,
} from './env.js';
export * from './events.js';
export type { LambdaContextOptions, TestLambdaContext } from './lambda-context.js';
export type { CapturedLine, CapturedSpan, Records } from './records.js';
export type { StreamedAnswer, StreamingApp } from './streamed.js';
