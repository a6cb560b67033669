import { type CfnFunction, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { expectedFormats, type ResponseFormat } from '../../http/internal/response-mode.js';
import { sourceOf } from '../../internal/entries.js';
import { misuseText } from '../../internal/misuse.js';
import { functionBehind } from '../../internal/targets.js';
import { runEntry } from './run-entry.js';
import { literalsOf } from './taken-inventories.js';

/** A container's handler has a description; a streaming handler also has the kind of events whose responses it streams. */
const PROGRAM = `
const handler = loaded[name];
const isOurs = handler?.[Symbol.for('framework.inspect')] !== undefined;
result = isOurs ? (handler[Symbol.for('sallyport.http.streamed-kind/1')] ?? 'json') : null;
`;

const EXPORTS: Readonly<Record<ResponseFormat, string>> = {
  json: 'export const handler = app.handleLambda',
  'gateway-v1': 'export const handler = createGatewayRestStreamingHandler(app)',
  'function-url': 'export const handler = createLambdaFunctionURLStreamingHandler(app)',
};

/**
 * Compares the exported handler with the response modes of the doors. A handler that another library wraps, or that does not load without the
 * deployed variables, is not checked.
 */
export function wrongHandler(wiring: IConstruct, fn: IFunction): readonly string[] {
  const behind = functionBehind(fn);
  const source = sourceOf(behind);
  const expected = expectedFormats(fn);
  if (source === undefined || expected.length === 0 || !(behind instanceof LambdaFunction)) return [];
  const name = (behind.node.defaultChild as CfnFunction).handler?.split('.').at(-1) ?? 'handler';
  const { entry, conditions, loaded } = source;
  const isKnown = loaded !== undefined && loaded.error === undefined;
  const format = isKnown
    ? (loaded.format as ResponseFormat | undefined)
    : formatOf(entry, conditions, name, literalsOf(fn).literals);
  if (format === undefined) return [];
  return expected
    .filter((door) => !fits(door, format))
    .map(({ door, format: wanted }) => {
      const reads = wanted === 'json' ? 'buffers' : 'streams';
      const writes =
        format === 'json'
          ? 'does not stream'
          : `streams the events of ${format === 'gateway-v1' ? 'REST APIs' : 'function URLs'}`;
      const what = `${door.node.path} ${reads}, and the handler "${name}" of ${source.entry} ${writes}`;
      return misuseText(wiring, { what, expected: EXPORTS[wanted] });
    });
}

/** A handler that streams only events of another kind writes JSON. */
function fits(
  { own, format }: { readonly own: ResponseFormat; readonly format: ResponseFormat },
  actual: ResponseFormat,
) {
  return format === 'json' ? actual !== own : actual === format;
}

function formatOf(
  entry: string,
  conditions: readonly string[],
  name: string,
  environment: Readonly<Record<string, string>>,
): ResponseFormat | undefined {
  try {
    const { result } = runEntry({ entry, conditions, environment, program: PROGRAM, name });
    return (result as ResponseFormat | null) ?? undefined;
  } catch {
    return undefined;
  }
}
