import { createSanitizer } from '@sallyport/core/observability';

/** Makes the form of a value that the console may show. */
export type Cleaner = (value: unknown) => unknown;

/** A page for developers shows more than a log line does, and several lines as such. */
const sanitizer = createSanitizer({
  limits: { depth: 24, entries: 1000, nodes: 50_000, stringBytes: 65_536 },
  keepLineBreaks: true,
});

/** @param reveal whether texts are shown as they are */
export function createCleaner(reveal: boolean): Cleaner {
  if (reveal) return (value) => value;
  return (value) => (value === undefined ? undefined : sanitizer.sanitizeValue(value));
}
