import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, run } from './command.js';
import { type CodeBlock, codeBlocks } from './readme-blocks.js';

/** Paths where clients without a token get a token (RFC 8414, RFC 7591, RFC 6749). */
const AUTHORIZATION_SERVER: readonly string[] = ['/.well-known/oauth-authorization-server', '/register', '/token'];
/** Paths that examples may make public: they return no personal data, or they are pages for visitors. */
const OPEN: readonly string[] = ['/health', '/', '/start', '/logo', '/terms', ...AUTHORIZATION_SERVER];
/** Pages in which a resolver may return a constant principal: they are about tests and explain it. */
const ABOUT_TESTS: readonly string[] = ['docs/start.md', 'docs/testing.md', 'docs/assistants.md'];
/** Pages that show the open container with operations: they explain it. */
const ABOUT_OPEN: readonly string[] = ['packages/http/README.md'];

/** Operations that would be public, or open to a caller with any name, in a service that copies the block. */
function openDoors(block: CodeBlock): readonly string[] {
  const file = ts.createSourceFile('a.ts', block.code, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'Public' && !OPEN.includes(pathOf(node))) {
      found.push(`Public() of ${pathOf(node) || 'no path'}`);
    }
    const isTest = block.name?.endsWith('.test.ts') || ABOUT_TESTS.includes(block.file);
    if (isResolver(node) && !isTest && namesEverybody(node)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.map((what) => `${block.file}:${block.line}: ${what}`);
}

/** The path of the registration around a posture. */
function pathOf(node: ts.Node): string {
  for (let around = node.parent; around; around = around.parent) {
    if (!ts.isCallExpression(around)) continue;
    const path = around.arguments.find(ts.isStringLiteral);
    return path?.text ?? '';
  }
  return '';
}

function isResolver(node: ts.Node): node is ts.PropertyAssignment {
  return ts.isPropertyAssignment(node) && /^(principalResolver|authHook|resolver)$/.test(node.name.getText());
}

/** A function without a context identifies no caller; a function that reads a plain header trusts any caller. */
function namesEverybody({ initializer }: ts.PropertyAssignment): boolean {
  if (!ts.isArrowFunction(initializer)) return false;
  const isNobody = initializer.body.kind === ts.SyntaxKind.NullKeyword;
  return (
    !isNobody &&
    (initializer.parameters.length === 0 || /\.(header|query|cookie|bodyJson)\(/.test(initializer.getText()))
  );
}

const PATHLESS = { file: 'docs/x.md', line: 1 };

it.each<[string, string[]]>([
  ["app.get('/orders', list, Public())", ['Public() of /orders']],
  ["app.group('/orders', { posture: Public() }, define)", ['Public() of /orders']],
  ['mountMcp(app, server, { posture: Public() })', ['Public() of no path']],
  ['new SecureApp({ principalResolver: () => ada })', ['principalResolver: () => ada']],
  ["createApp({ authHook: (ctx) => ctx.header('x-user') ?? '' })", ["authHook: (ctx) => ctx.header('x-user') ?? ''"]],
  ["app.get('/health', check, Public())", []],
  ['new SecureApp({ principalResolver: () => null })', []],
  ['new SecureApp({ principalResolver: iamPrincipal() })', []],
])('finds in %s: %j', (code, expected) => {
  expect(openDoors({ ...PATHLESS, code })).toEqual(expected.map((what) => `docs/x.md:1: ${what}`));
});

it('no example of a page opens what a real service would close', async () => {
  const { stdout } = await run('git', ['ls-files', '--', '*.md', 'examples/*/src/*.ts']);
  const blocks = stdout.split('\n').flatMap((file): readonly CodeBlock[] => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return file.endsWith('.md') ? codeBlocks(file, text) : [{ file, line: 1, code: text }];
  });
  expect(blocks.length).toBeGreaterThan(50);
  expect(blocks.flatMap(openDoors)).toEqual([]);
});

it('no example registers operations on the open container', async () => {
  const { stdout } = await run('git', ['ls-files', '--', '*.md']);
  const opened = stdout
    .split('\n')
    .filter((file) => !ABOUT_OPEN.includes(file))
    .flatMap((file) => codeBlocks(file, readFileSync(join(ROOT, file), 'utf8')))
    .filter(
      ({ code }) =>
        /createApp\(|createHttpRouter\(/.test(code) && /\.(get|post|put|patch|delete|handle)\(\s*'/.test(code),
    );
  expect(opened.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
});
