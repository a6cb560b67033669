import { toDifference } from '@sallyport/testkit/events';
import type { RunBase } from '../host/base.js';
import { recordDifferences } from './record.js';

/**
 * Records that the function wrote a file outside `/tmp`.
 *
 * @param id the invocation; `undefined` if the function wrote while it loaded
 */
export function recordWrite(
  host: Pick<RunBase, 'journal' | 'config' | 'notice'>,
  id: number | undefined,
  path: string,
): void {
  const text = `the function wrote ${path}: only /tmp can be written on Lambda; use the folder in TMPDIR or os.tmpdir()`;
  if (id === undefined) host.notice(`while it loaded, ${text}`);
  else recordDifferences(host, id, [toDifference('file.written', text)]);
}
