/** The context of the running invocation without passing it as a parameter: an opt-in binding on `AsyncLocalStorage`. */
export {
  asyncContext,
  asyncEventContext,
  contextLogger,
  currentContext,
  type LoggingContext,
  runWithContext,
} from './context/async-context.js';
