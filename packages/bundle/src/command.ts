// The commands `sallyport build` and `sallyport manifest`, which the command line loads.
export { BUILD_COMMAND, type Command, type CommandEnvironment } from './build/command.js';
export type { CommandFlag } from './build/internal/arguments.js';
export { MANIFEST_COMMAND } from './manifest/command.js';
