/** The context of the running invocation without handing it on: an opt-in binding on `AsyncLocalStorage`. */
export {
  asyncContext,
  asyncEventContext,
  contextLogger,
  currentContext,
  type LoggingContext,
  runWithContext,
} from './context/async-context.js';
