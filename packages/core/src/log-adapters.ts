/** Loggers of other makes as the option `log` of a container. What they are given is sanitized. */
export {
  type AdapterOptions,
  type ConsoleLike,
  fromConsole,
  fromPino,
  fromPowertools,
  type PinoLike,
  type PowertoolsLike,
} from './observability/log-adapters.js';
