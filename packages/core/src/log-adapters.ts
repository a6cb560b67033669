/** Adapters for other loggers as the option `log` of a container. They receive sanitized data. */
export {
  type AdapterOptions,
  type ConsoleLike,
  fromConsole,
  fromPino,
  fromPowertools,
  type PinoLike,
  type PowertoolsLike,
} from './observability/log-adapters.js';
