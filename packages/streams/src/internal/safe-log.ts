import { encodeSafeValue } from '@sallyport/core/pipeline';

/** One line of `name=value` pairs. No value can start another pair or another line. */
export function safeLog(fields: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeSafeValue(String(value))}`)
    .join(' ');
}
