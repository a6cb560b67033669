import type { Logger } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';

/**
 * A logger that writes nothing while a flow repeats recorded work. It does not throw: a handler that catches the failure of a line would continue
 * differently at a replay, which writes none.
 */
export function quietLogger(log: Logger, scope: { readonly isSilent: boolean }): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error'): Logger[typeof level] => {
    return (message, fields) => {
      if (!scope.isSilent) guardHook(() => log[level](message, fields));
    };
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isEnabled: (level) => !scope.isSilent && log.isEnabled(level),
    with: (fields) => quietLogger(log.with(fields), scope),
  };
}
