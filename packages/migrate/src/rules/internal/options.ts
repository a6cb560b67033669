import ts from 'typescript';
import type { FileDesk } from './rule.js';

/** The options that both containers have. */
export const SHARED_OPTIONS: readonly string[] = [
  ...['clock', 'ids', 'tier', 'limits', 'cors', 'httpErrorFormat', 'policyHook', 'observability', 'log', 'environment'],
  ...['onError', 'notFound', 'onResponse', 'webSocketClientFactory', 'webSocketEndpoint', 'basePath', 'autoHead'],
  ...[
    'errorMode',
    'sends',
    'socket',
    'surfaces',
    'directInvocations',
    'doors',
    'streamFailureIdentifier',
    'queueConcurrency',
    'deadlineMarginMs',
  ],
  ...['maskErrors', 'batchConcurrency', 'batchResult'],
];

/**
 * Changes the options of a container that is to be closed. `authHook` becomes a comment.
 *
 * @returns true if all options are known; otherwise the container is not closed, and the reason is a manual step
 */
export function convertOptions(desk: FileDesk, options: ts.Expression | undefined): boolean {
  if (options === undefined) return true;
  if (!ts.isObjectLiteralExpression(options)) {
    desk.remark(options, 'the options are not written here; the container is left open');
    return false;
  }
  for (const property of options.properties) {
    const name = nameOf(property);
    if (name === 'authHook' || (name !== undefined && SHARED_OPTIONS.includes(name))) continue;
    const what = name === undefined ? 'options that are spread or computed' : `the option ${name}`;
    desk.remark(property, `${what}: SecureApp may not have it; the container is left open`);
    return false;
  }
  const hook = options.properties.find((property) => nameOf(property) === 'authHook');
  if (hook) {
    desk.remark(hook, 'authHook: write a principalResolver in its place');
    removeProperty(desk, options, hook);
  }
  return true;
}

/** The name of a property that is written out. */
export function nameOf(property: ts.ObjectLiteralElementLike): string | undefined {
  const { name } = property;
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;
}

/** Turns a property into a comment, and removes the following comma. */
function removeProperty(
  desk: FileDesk,
  options: ts.ObjectLiteralExpression,
  property: ts.ObjectLiteralElementLike,
): void {
  desk.replace(property, commented(desk.textOf(property), desk));
  const behind = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*,/.exec(desk.text.slice(property.end, options.end - 1))?.[0];
  if (behind) desk.edit(property.end + behind.length - 1, property.end + behind.length, '');
}

/** A comment that contains code, even code with comments. */
function commented(code: string, { newLine }: FileDesk): string {
  if (!code.includes('*/')) return `/* ${code} */`;
  return `${code
    .split(/\r?\n/)
    .map((line) => `// ${line.trim()}`)
    .join(newLine)}${newLine}`;
}
