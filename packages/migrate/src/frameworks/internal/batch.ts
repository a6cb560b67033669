import ts from 'typescript';
import { type Deployment, keyOf } from './chains.js';
import { bare } from './pattern.js';
import type { HandlerPlace } from './registrations.js';
import type { Renderer, Step } from './renderer.js';
import { exportOf, functionOf, isFunc } from './roles.js';

const BATCH = '@aws-lambda-powertools/batch#';
const PROCESSORS = ['BatchProcessor', 'BatchProcessorSync', 'SqsFifoPartialProcessor', 'SqsFifoPartialProcessorAsync'];
const RUNNERS = ['processPartialResponse', 'processPartialResponseSync'];
/** The registrations of the kinds of records. */
const SOURCES: Readonly<Record<string, string>> = {
  SQS: 'queue',
  KinesisDataStreams: 'kinesis',
  DynamoDBStreams: 'tableStream',
};

/** `processPartialResponse(event, recordHandler, processor, { context })` becomes a registration. */
export function batchStep(places: HandlerPlace[], deployment: Deployment): Step {
  return (node, renderer) => {
    if (ts.isVariableStatement(node)) return isProcessor(node, renderer) ? '' : undefined;
    if (ts.isFunctionDeclaration(node) && node.name && node.body) {
      const call = runnerOf(node, renderer);
      if (!call) return undefined;
      const isExported = (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      return `${isExported ? 'export ' : ''}const ${node.name.text} = ${batchText(node, call, places, deployment, renderer)};`;
    }
    if (!ts.isExpression(node) || !isFunc(node)) return undefined;
    const call = runnerOf(node, renderer);
    return call && batchText(node, call, places, deployment, renderer);
  };
}

function isProcessor(node: ts.VariableStatement, { service }: Renderer): boolean {
  const [one] = node.declarationList.declarations;
  const value = one?.initializer && bare(one.initializer);
  if (!value || !ts.isNewExpression(value)) return false;
  const name = exportOf(value.expression, service.checker) ?? '';
  return name.startsWith(BATCH) && PROCESSORS.includes(name.slice(BATCH.length));
}

/** The call that a handler consists of. */
function runnerOf(func: ts.Node, renderer: Renderer): ts.CallExpression | undefined {
  if (!isFunc(func) || !func.body) return undefined;
  let value: ts.Expression | undefined;
  if (!ts.isBlock(func.body)) value = func.body;
  else if (func.body.statements.length === 1) {
    const [only] = func.body.statements;
    value = only && ts.isReturnStatement(only) ? only.expression : undefined;
  }
  while (value && (ts.isAwaitExpression(value) || ts.isAsExpression(value) || ts.isParenthesizedExpression(value)))
    value = value.expression;
  if (!value || !ts.isCallExpression(value)) return undefined;
  const name = exportOf(value.expression, renderer.service.checker) ?? '';
  return name.startsWith(BATCH) && RUNNERS.includes(name.slice(BATCH.length)) ? value : undefined;
}

function batchText(
  node: ts.Node,
  call: ts.CallExpression,
  places: HandlerPlace[],
  deployment: Deployment,
  renderer: Renderer,
): string {
  const [, handler, processor, settings] = call.arguments;
  const { checker } = renderer.service;
  const made =
    processor && ts.isIdentifier(processor) ? checker.getSymbolAtLocation(processor)?.valueDeclaration : undefined;
  const kind = made?.getText().match(/EventType\.(\w+)/)?.[1] ?? 'SQS';
  const method = SOURCES[kind] ?? 'queue';
  const name = ts.isFunctionDeclaration(node) && node.name ? node.name.text : undefined;
  const key = name === undefined ? keyOf(node, renderer.source) : keyOf(node, renderer.source).replace(/[^.]+$/, name);
  const source = deployment.get(key)?.queues[0];
  const before = renderer.todos.length;
  if (source === undefined) {
    const noun = method === 'queue' ? 'queue' : method === 'kinesis' ? 'stream' : 'table';
    renderer.todo(node, `write the ${noun}'s name in place of '${noun}': the last part of its ARN`);
  }
  const place = source ?? (method === 'queue' ? 'queue' : method === 'kinesis' ? 'stream' : 'table');
  const text = handler ? renderer.render(handler) : '';
  const func = handler && functionOf(handler, checker);
  const isContext = func !== undefined && func.parameters.length > 1;
  if (isContext) renderer.todo(call, 'the second argument of the record handler: ctx.lambdaContext');
  const silent = settings && /throwOnFullBatchFailure:\s*false/.test(settings.getText());
  places.push({
    node,
    name: `${method} ${place}`,
    application: undefined,
    func: undefined,
    isLeft: renderer.todos.length > before,
  });
  const target = ts.isIdentifier(handler ?? call) ? text : `(${text})`;
  const whole = silent || method !== 'queue' ? '' : ', { failWhole: true }';
  // Powertools reports failed records of streams by their sequence numbers.
  const options = method === 'queue' ? '' : "{ streamFailureIdentifier: 'sequenceNumber' }";
  return `new ${renderer.name('SecureApp')}(${options}).${method}('${place}', (_ctx, record) => ${target}(record)${whole}).handleLambda`;
}
