/** The lifecycle hooks of the program in a machine. */
export {
  createMicrovmHooks,
  type MicrovmHook,
  type MicrovmHookContext,
  type MicrovmHookHandler,
  type MicrovmHooks,
  type MicrovmHooksListenOptions,
  type MicrovmHooksOptions,
} from './hooks/hooks.js';
