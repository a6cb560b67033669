import ts from 'typescript';
import { declarationOf } from '../../rules/internal/containers.js';
import { visitAll } from '../../rules/internal/rule.js';
import { EXPRESS } from './express.js';
import type { Framework } from './framework.js';
import { HONO } from './hono.js';
import { MIDDY } from './middy.js';
import { bare, type CompiledRewrite } from './pattern.js';
import { POWERTOOLS } from './powertools.js';
import { exportOf, type Func, fileOf, functionOf, Roles } from './roles.js';

/** The frameworks whose code is rewritten. */
export const FRAMEWORKS: readonly Framework[] = [EXPRESS, HONO, POWERTOOLS, MIDDY];

export const VERBS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
/** Methods of an application that have no effect in Lambda. */
export const SETTINGS: readonly string[] = ['set', 'disable', 'enable', 'listen'];
/** Methods that only tests and adapters call. */
const OUTSIDE: readonly string[] = ['request', 'fetch', 'resolve', 'resolveStream'];

/** An application, or a router, of an old framework. */
export interface Application {
  readonly framework: Framework;
  readonly kind: 'app' | 'router';
  /** The call that makes it. */
  readonly maker: ts.Expression;
  /** Options of the container, by name. */
  readonly options: Map<string, string>;
  /** Middlewares of a router, as text: they become middlewares of its routes. */
  readonly uses: string[];
  /** The path at which a router is mounted, once it is known. */
  prefix: string;
  /** The reason why it is not rewritten. */
  unsafe: string | undefined;
}

export type FuncKind = 'handler' | 'middleware' | 'errorHandler' | 'notFound';

/** A function that takes parts of an old framework. */
export interface KnownFunc {
  readonly framework: Framework;
  readonly kind: FuncKind;
  readonly roles: Roles;
  /** The applications that it is registered on. */
  readonly applications: Set<Application>;
  /** Constructs that were not rewritten. */
  left: number;
}

/** The old framework's parts of all files. */
export class Service {
  readonly checker: ts.TypeChecker;
  readonly applications = new Map<ts.Node, Application>();
  readonly functions = new Map<Func, KnownFunc>();
  /** The parsed rules of each framework. */
  readonly compiled = new Map<Framework, readonly CompiledRewrite[]>();
  /** Variables of applications that are parts of others. */
  readonly #parts: ReadonlySet<ts.Node>;
  #answering: Set<ts.SourceFile> | undefined;

  constructor(checker: ts.TypeChecker, sources: readonly ts.SourceFile[]) {
    this.checker = checker;
    this.#parts = findParts(checker, sources);
    for (const source of sources) visitAll(source, (node) => this.#readMaker(node));
    for (const source of sources) visitAll(source, (node) => this.#readCall(node));
    for (const source of sources) visitAll(source, (node) => this.#readEscape(node));
    for (const [func, { applications }] of this.functions) {
      if ([...applications].some(({ unsafe }) => unsafe !== undefined)) this.functions.delete(func);
    }
  }

  /** True if a file has answers of API Gateway, or exports functions that return them. */
  hasProxyResults(source: ts.SourceFile): boolean {
    this.#answering ??= this.#findAnswering();
    return this.#answering.has(source);
  }

  #findAnswering(): Set<ts.SourceFile> {
    const found = new Set<ts.SourceFile>();
    for (const [func, { framework }] of this.functions) {
      if (framework !== MIDDY && framework !== POWERTOOLS) continue;
      found.add(func.getSourceFile());
      visitAll(func, (node) => {
        const declaration = ts.isIdentifier(node) ? declarationOf(node, this.checker) : undefined;
        if (declaration && !ts.isSourceFile(declaration)) found.add(declaration.getSourceFile());
      });
    }
    return found;
  }

  #readMaker(node: ts.Node): void {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    const name = exportOf(node.expression, this.checker);
    if (name === undefined) return;
    for (const framework of FRAMEWORKS) {
      const kind = Object.hasOwn(framework.makers, name) ? framework.makers[name] : undefined;
      if (kind === undefined) continue;
      const made = { framework, kind: this.#isPart(node) ? 'router' : kind, maker: node, options: new Map(), uses: [] };
      this.applications.set(node, { ...made, prefix: '', unsafe: undefined });
    }
  }

  /** Hono and Powertools have one class for applications and parts: a part is an argument of another application. */
  #isPart(maker: ts.Node): boolean {
    const { parent } = maker;
    if (!ts.isVariableDeclaration(parent) || !ts.isIdentifier(parent.name)) return false;
    return this.#parts.has(parent);
  }

  /** The application of an expression, through constants, imports and chains. */
  applicationOf(given: ts.Expression): Application | undefined {
    const node = bare(given);
    const made = this.applications.get(node);
    if (made) return made;
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const isChain =
        VERBS.includes(name.text) || ['use', 'all', 'on', 'route', 'notFound', 'onError'].includes(name.text);
      return isChain ? this.applicationOf(expression) : undefined;
    }
    if (!ts.isIdentifier(node)) return undefined;
    const declaration = declarationOf(node, this.checker);
    if (declaration && ts.isExportAssignment(declaration)) return this.applicationOf(declaration.expression);
    if (declaration && ts.isBinaryExpression(declaration)) return this.applicationOf(declaration.right);
    const value = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
    if (!value) return undefined;
    const file = this.#required(value);
    return file ?? this.applicationOf(value);
  }

  /** `const users = require('./users')` of a file with `module.exports = router`. */
  #required(value: ts.Expression): Application | undefined {
    const source = fileOf(value, this.checker);
    for (const statement of source?.statements ?? []) {
      if (!ts.isExpressionStatement(statement) || !ts.isBinaryExpression(statement.expression)) continue;
      const { left, right } = statement.expression;
      if (left.getText() === 'module.exports') return this.applicationOf(right);
    }
    return undefined;
  }

  #readCall(node: ts.Node): void {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const application = this.applicationOf(node.expression.expression);
    if (!application) return;
    const { framework } = application;
    const method = node.expression.name.text;
    if (VERBS.includes(method) || method === 'all' || method === 'on') {
      if (node.arguments.length === 1 && application.framework === EXPRESS) return; // app.get('env')
      if (isInLoop(node)) application.unsafe ??= 'routes are registered in a loop';
      const handlers = node.arguments.slice(method === 'on' ? 2 : 1).flatMap(elementsOf);
      handlers.forEach((argument, at) => {
        this.#know(argument, application, at === handlers.length - 1 ? 'handler' : 'middleware');
      });
    } else if (method === 'use') {
      for (const argument of node.arguments) this.#know(argument, application, this.useKind(argument, framework));
    } else if (Object.hasOwn(framework.hooks, method)) {
      const [argument] = node.arguments;
      if (argument)
        this.#know(argument, application, framework.hooks[method] === 'onError' ? 'errorHandler' : 'notFound');
    } else if (method === 'errorHandler' && node.arguments[1]) {
      this.#know(node.arguments[1], application, 'errorHandler');
    } else if (!SETTINGS.includes(method) && !OUTSIDE.includes(method) && !Object.hasOwn(framework.mounts, method)) {
      application.unsafe ??= `${method} of an application of ${framework.name}`;
    }
  }

  /** Express distinguishes middlewares, error handlers and the handler of unknown paths by their parameters. */
  useKind(argument: ts.Expression, framework: Framework): FuncKind {
    const func = functionOf(argument, this.checker);
    if (!func || framework !== EXPRESS) return 'middleware';
    if (func.parameters.length === 4) return 'errorHandler';
    return func.parameters.length === 2 ? 'notFound' : 'middleware';
  }

  #know(argument: ts.Expression, application: Application, kind: FuncKind): void {
    const func = functionOf(argument, this.checker);
    if (func) this.know(func, application.framework, kind).applications.add(application);
  }

  /** Records that a function takes parts of a framework. */
  know(func: Func, framework: Framework, kind: FuncKind): KnownFunc {
    const there = this.functions.get(func);
    if (there) return there;
    const roles = new Roles(this.checker, framework.aliases);
    const names = {
      handler: 'handler',
      middleware: 'middleware',
      errorHandler: 'errorHandler',
      notFound: 'handler',
    } as const;
    roles.give(func, framework[names[kind]]);
    roles.followDestructuring(func);
    const known = { framework, kind, roles, applications: new Set<Application>(), left: 0 };
    this.functions.set(func, known);
    return known;
  }

  /** An application that other code can change is not rewritten. */
  #readEscape(node: ts.Node): void {
    if (!ts.isIdentifier(node) || !ts.isExpression(node)) return;
    const { parent } = node;
    const isPlain =
      (ts.isVariableDeclaration(parent) && parent.name === node) ||
      (ts.isPropertyAccessExpression(parent) && parent.expression === node) ||
      ts.isImportSpecifier(parent) ||
      ts.isImportClause(parent) ||
      ts.isExportSpecifier(parent) ||
      ts.isExportAssignment(parent) ||
      ts.isReturnStatement(parent) ||
      (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
      (ts.isBinaryExpression(parent) && /^(?:module\.)?exports\b/.test(parent.left.getText()));
    if (isPlain) return;
    const application = this.applicationOf(node);
    if (!application) return;
    if (ts.isCallExpression(parent) && parent.arguments.includes(node)) {
      const callee = parent.expression;
      const name = exportOf(callee, this.checker) ?? '';
      const isMounted = ts.isPropertyAccessExpression(callee) && this.applicationOf(callee.expression) !== undefined;
      if (application.framework.adapters.includes(name) || isMounted) return;
    }
    if (/\btests?\b|\.(?:test|spec)\./.test(node.getSourceFile().fileName)) return;
    application.unsafe ??= `the application is passed on: ${parent.getText().split('\n', 1)[0]}`;
  }
}

/** Finds the variables of applications that are parts of others. */
function findParts(checker: ts.TypeChecker, sources: readonly ts.SourceFile[]): ReadonlySet<ts.Node> {
  const parts = new Set<ts.Node>();
  const mounts = FRAMEWORKS.flatMap((framework) => Object.keys(framework.mounts));
  for (const source of sources) {
    visitAll(source, (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      if (!mounts.includes(node.expression.name.text)) return;
      for (const argument of node.arguments) {
        const declaration = ts.isIdentifier(argument) ? declarationOf(argument, checker) : undefined;
        const found =
          declaration && ts.isExportAssignment(declaration) && ts.isIdentifier(declaration.expression)
            ? declarationOf(declaration.expression, checker)
            : declaration;
        if (found) parts.add(found);
      }
    });
  }
  return parts;
}

function isInLoop(node: ts.Node): boolean {
  return (
    ts.findAncestor(node, (one) => {
      if (ts.isIterationStatement(one, false)) return true;
      return (
        ts.isCallExpression(one) &&
        one !== node &&
        ts.isPropertyAccessExpression(one.expression) &&
        one.expression.name.text === 'forEach'
      );
    }) !== undefined
  );
}

/** The elements of a list, or the expression itself. */
export function elementsOf(node: ts.Expression): readonly ts.Expression[] {
  return ts.isArrayLiteralExpression(node) ? [...node.elements] : [node];
}
