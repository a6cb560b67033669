import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, run } from './command.js';

/**
 * Interfaces of options that no set describes, each with its reason. Options that packages pass to each other were checked
 * when the application passed them.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'client ClientOptions': 'the compiler checks it: a table of options is larger than the client',
  'client NoticeOptions': 'as ClientOptions',
  'client SignedFetchOptions': 'as ClientOptions',
  'client SocketOptions': 'as ClientOptions',
  'client ToolOptions': 'as ClientOptions',
  'client UploadOptions': 'as ClientOptions',
  'otel OtlpOptions': 'part of OtlpExporterOptions and OtlpMetricsOptions, which are sets',
  'core BreakerOptions': 'constants of the package that calls',
  'core DeadlineOptions': 'the stores have checked it',
  'core MetricOptions': 'of one emitted value, on the way of a request',
  'dynamo DynamoTableOptions': 'the stores have checked it',
  'dynamo StoreUntilOptions': 'of one write, on the way of a request',
  'http HttpSurfaceOptions': 'the containers and routers have checked it',
  'http KernelOptions': 'the containers and routers have checked it',
  'http WebSocketSurfaceOptions': 'the containers have checked it',
  'http OpenApiSpec': 'errors of a description are those of contract-fixtures/contract-doc',
  'http PipelineOptions': 'createApp and SecureApp have checked it',
  'jobs EventBusStoreOptions': 'a StoreOptions without members of its own',
  'core DoorsOptions': 'parseDoors reads them by the table of doors: it is in each container',
  'http DoorsOptions': 'DoorsOptions of core',
  'jobs JobLedgerOptions': 'a StoreOptions without members of its own',
  'objectstore AccountSettings': 'what a set has made of the options',
  'objectstore ObjectCallOptions': 'one signal, handed on',
  'secure JwtSettings': 'what a set has made of the options',
  'testkit FunctionUrlOptions': 'some of GatewayV2Options',
  'testkit SimulationOptions': 'QueueSimulation or StreamSimulation',
  'secure SecureOpenApiSpec': 'errors of a description are those of contract-fixtures/contract-doc',
};

/** The calls that describe a set of options; the first type argument is the described interface. */
const DESCRIBES: readonly string[] = ['defineOptions', 'group', 'OptionKinds'];

const IS_OPTIONS = /(Options|Spec|Settings)$/;

/** The types of options that a file's exported functions and constructors accept, and the types that its sets describe. */
function readOptions(text: string): { readonly taken: readonly string[]; readonly described: readonly string[] } {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const taken = file.statements
    .filter((node) => ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(isExport))
    .flatMap((node): readonly ts.Node[] =>
      ts.isClassDeclaration(node) ? node.members.filter(ts.isConstructorDeclaration) : [node],
    )
    .flatMap((node) => (ts.isFunctionDeclaration(node) || ts.isConstructorDeclaration(node) ? node.parameters : []))
    .flatMap(({ type }) => type?.getText().match(/\w+/g) ?? [])
    .filter((name) => IS_OPTIONS.test(name));
  const described: string[] = [];
  const visit = (node: ts.Node) => {
    const [name, args] = ts.isCallExpression(node)
      ? [node.expression.getText(), node.typeArguments]
      : ts.isTypeReferenceNode(node)
        ? [node.typeName.getText(), node.typeArguments]
        : ['', undefined];
    if (DESCRIBES.includes(name) && args?.[0]) described.push(...(args[0].getText().match(/\w+/g) ?? []));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { taken, described };
}

function isExport({ kind }: ts.ModifierLike): boolean {
  return kind === ts.SyntaxKind.ExportKeyword;
}

it.each<[string, string, readonly string[], readonly string[]]>([
  ['a function', 'export function f(a: string, o?: Readonly<AOptions>) {}', ['AOptions'], []],
  ['a constructor', 'export class B { constructor(o: BOptions) {}\n go(o: COptions) {} }', ['BOptions'], []],
  ['no function of its own', 'function f(o: AOptions) {}\nexport interface BOptions {}', [], []],
  ['a set', 'const O = defineOptions<AOptions>()({});', [], ['AOptions']],
  ['a group', 'const O = { b: group<BOptions>()({}) };', [], ['BOptions']],
  ['a table of kinds', 'const K: OptionKinds<COptions> = {};', [], ['COptions']],
])('reads the options of %s', (_, text, taken, described) => {
  expect(readOptions(text)).toEqual({ taken, described });
});

it('the options of a public function or constructor are a set, or have a reason', async () => {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--', 'packages/*/src/*.ts']);
  const files = stdout.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const read = files.map((file) => ({ file, ...readOptions(readFileSync(join(ROOT, file), 'utf8')) }));
  const described = new Set(read.flatMap((one) => one.described));
  const missing = read
    .filter(({ file }) => !file.includes('/internal/'))
    .flatMap(({ file, taken }) =>
      taken.filter((name) => !described.has(name)).map((name) => `${file.split('/')[1]} ${name}`),
    );
  expect(missing.filter((name) => !Object.hasOwn(EXCEPTIONS, name))).toEqual([]);
});
