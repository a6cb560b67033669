// The commands `sallyport dev`, `send` and others, which the command line loads.
export type { Flag } from './internal/commands/arguments.js';
export type { Around } from './internal/commands/around.js';
export { type Command, LOCAL_COMMANDS } from './internal/commands/local-commands.js';
