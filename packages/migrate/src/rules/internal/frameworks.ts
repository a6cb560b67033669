import ts from 'typescript';
import { answerStep } from '../../frameworks/internal/answers.js';
import {
  adapterStep,
  hookStep,
  makerStep,
  resolverStep,
  routerStep,
  unsafeStep,
} from '../../frameworks/internal/applications.js';
import { batchStep } from '../../frameworks/internal/batch.js';
import { chainStep, type Deployment, readChain } from '../../frameworks/internal/chains.js';
import {
  assignmentStep,
  bagStep,
  parsedBodyStep,
  proxyResultStep,
  resultTypeStep,
  rewriteStep,
  shorthandStep,
  unknownStep,
  valueStep,
  vanishedStep,
} from '../../frameworks/internal/expressions.js';
import { functionStep, typedVariableStep } from '../../frameworks/internal/functions.js';
import { HONO } from '../../frameworks/internal/hono.js';
import { importEdits } from '../../frameworks/internal/imports.js';
import { goneStatementStep, type HandlerPlace, registrationStep } from '../../frameworks/internal/registrations.js';
import { Renderer, type Step } from '../../frameworks/internal/renderer.js';
import { Service } from '../../frameworks/internal/service.js';
import type { Edit } from '../../internal/edits.js';
import { pathOf } from '../../internal/program.js';
import { type CodeRule, FileDesk, noFindings, visitAll } from './rule.js';

/** Rewrites applications of the frameworks that have rules. */
export function frameworksRule(deployment: Deployment): CodeRule {
  return ({ checker }, _mapping, sources) => {
    const findings = noFindings();
    const service = new Service(checker, sources);
    for (const source of sources) visitAll(source, (node) => readChain(node, service, deployment));
    // The first pass finds the options of the containers, which are written before the calls that they come from.
    for (const source of sources) renderFile(new Renderer(service, source, stepsOf([], deployment)));
    for (const application of service.applications.values()) application.uses.length = 0;
    for (const known of service.functions.values()) known.left = 0;
    const places: HandlerPlace[] = [];
    const steps = stepsOf(places, deployment);
    for (const source of sources) {
      const renderer = new Renderer(service, source, steps);
      const desk = new FileDesk(source, checker, findings);
      for (const { start, end, text } of changesOf(renderer, desk)) desk.edit(start, end, text);
      for (const { node, text } of renderer.todos) desk.remark(node, text);
    }
    for (const { node, name, application, func, isLeft } of places) {
      const isUnsafe = application?.unsafe !== undefined;
      const left = isLeft || (func !== undefined && (service.functions.get(func)?.left ?? 0) > 0);
      const outcome = isUnsafe ? (application.framework === HONO ? 'mounted' : 'left') : left ? 'left' : 'rewritten';
      findings.handlers.push({ path: pathOf(node.getSourceFile()), place: node.getStart(), name, outcome });
    }
    return findings;
  };
}

function stepsOf(places: HandlerPlace[], deployment: Deployment): readonly Step[] {
  return [
    ...[unsafeStep, vanishedStep, routerStep, goneStatementStep, hookStep],
    ...[registrationStep(places), makerStep, adapterStep, chainStep(places, deployment), batchStep(places, deployment)],
    ...[resolverStep, typedVariableStep, functionStep, answerStep, bagStep, assignmentStep, parsedBodyStep, valueStep],
    ...[rewriteStep, shorthandStep, proxyResultStep, resultTypeStep, unknownStep],
  ];
}

/** The new code of the changed statements. */
function renderFile(renderer: Renderer): readonly Edit[] {
  const { source } = renderer;
  return source.statements.flatMap((node) => {
    if (ts.isImportDeclaration(node)) return [];
    const before = renderer.textOf(node);
    const text = renderer.renderTop(node);
    if (text === before) return [];
    const start = node.getStart(source);
    if (text !== '') return [{ start, end: node.end, text }];
    return [{ start, end: endOfRemoved(source.text, start, node.end), text }];
  });
}

/** With a removed statement its line break is removed, and the empty line after it if there is an empty line before it. */
function endOfRemoved(text: string, start: number, end: number): number {
  const rest = /^[ \t]*\r?\n?/.exec(text.slice(end))?.[0].length ?? 0;
  const isAfterEmpty = /(?:^|\n)\r?\n$/.test(text.slice(0, start)) || start === 0;
  const empty = isAfterEmpty ? (/^[ \t]*\r?\n/.exec(text.slice(end + rest))?.[0].length ?? 0) : 0;
  return end + rest + empty;
}

function changesOf(renderer: Renderer, desk: FileDesk): readonly Edit[] {
  const edits = [...renderFile(renderer)];
  if (edits.length === 0) return [];
  if (renderer.helpers.has('withHeaders')) {
    const end = desk.text.length;
    edits.push({ start: end, end, text: withHeadersText(renderer) });
  }
  const all = [
    ...edits,
    ...importEdits(desk, edits, renderer).filter((one) => !edits.some((other) => isSame(one, other))),
  ];
  return all.map(({ start, end, text }) => ({ start, end, text: text.replaceAll(/\r?\n/g, desk.newLine) }));
}

function isSame(a: Edit, b: Edit): boolean {
  return a.start === b.start && a.end === b.end && a.start !== a.end;
}

function withHeadersText(renderer: Renderer): string {
  const types = renderer.isTyped
    ? {
        answer: `: ${renderer.name('ResponseInput')}`,
        headers: ': Record<string, string>',
        result: `: ${renderer.name('ResponseInput')}`,
      }
    : { answer: '', headers: '', result: '' };
  return [
    '\n/** The answer with further headers. */',
    `function withHeaders(answer${types.answer}, headers${types.headers})${types.result} {`,
    '  return { ...answer, headers: { ...answer.headers, ...headers } };',
    '}\n',
  ].join('\n');
}
