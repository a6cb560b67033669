// The commands `sallyport build` and `sallyport manifest`, which the command line loads.

export type { CommandFlag } from '@sallyport/core/internal';
export { BUILD_COMMAND, type Command, type CommandEnvironment } from './build/command.js';
export { MANIFEST_COMMAND } from './manifest/command.js';
