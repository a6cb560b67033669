/**
 * A rewriting of one construct. `before` and `after` are expressions: the names of roles (`req`, `c`, `event`) stand for the parameters of a
 * handler, `$name` for any expression, and `.$name` for any property. In `after`, `$T` is the list of type arguments, `$STATUS` the status
 * that applies, and `#error(status, message)` a `FrameworkError` with the code of the status.
 */
export interface Rewrite {
  readonly before: string;
  readonly after: string;
  /** True if the expression is the answer of the handler. */
  readonly isAnswer?: boolean;
}

/** The outcome for a middleware: it is dropped, or becomes an option of the container, or a line that names its replacement. */
export type MiddlewareRule =
  /** The container does it. */
  | { readonly drop: true }
  /** The option `cors`; `names` are the options of the middleware with those of the container. */
  | { readonly cors: Readonly<Record<string, string>> }
  /** An option with a value. */
  | { readonly option: string; readonly value: string }
  /** A line for the user. */
  | { readonly todo: string };

/** The parts that a function of the old framework has, by position. `''` is a parameter without a counterpart. */
export type Roles = readonly string[];

/** The rules for one framework's code. */
export interface Framework {
  /** The name in messages. */
  readonly name: string;
  /** Modules whose imports disappear with their last use. */
  readonly modules: readonly string[];
  /** Exports that make an application (`app`) or a part of one (`router`): `express#default`, `express#Router`. */
  readonly makers: Readonly<Record<string, 'app' | 'router'>>;
  /** Functions that make a Lambda handler of an application: `serverless-http#default`. */
  readonly adapters: readonly string[];
  /** Methods of an application that run it, as `app.resolve(event, context)`. */
  readonly resolvers: readonly string[];
  /** Methods that register a router below a path, with the position of the path. */
  readonly mounts: Readonly<Record<string, 'path first' | 'router first'>>;
  /** The preset of `@sallyport/http/compat`. */
  readonly preset: string;
  /** Condition on `ctx` and `err` under which the preset answers instead of the service's own error handler. */
  readonly presetAnswers: string;
  /** Options of each route, as text; `''` for none. */
  readonly routeOptions: string;
  readonly handler: Roles;
  readonly middleware: Roles;
  readonly errorHandler: Roles;
  /** Methods of an application that register the error handler, and the handler of unknown paths. */
  readonly hooks: Readonly<Record<string, 'onError' | 'notFound'>>;
  /** True if a handler returns values that become JSON. */
  readonly returnsValues: boolean;
  /** Names of other paths for a path of roles: `{ 'm.reqCtx': 'r' }`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Objects of named values, with the expression for one of them: `{ 'req.query': "ctx.query('$name')" }`. */
  readonly bags: Readonly<Record<string, string>>;
  readonly rewrites: readonly Rewrite[];
  /** By `module#export`, `module#export.member`. */
  readonly middlewares: Readonly<Record<string, MiddlewareRule>>;
  /** Lines for constructs that are not rewritten, by their paths: `{ 'req.file': '…' }`. */
  readonly todos: Readonly<Record<string, string>>;
}

/** The exports that rewritten code uses, by name. */
export const SUCCESSORS: Readonly<Record<string, string>> = {
  FrameworkError: '@sallyport/core',
  isFrameworkError: '@sallyport/core',
  Context: '@sallyport/core',
  Next: '@sallyport/core',
  ResponseInput: '@sallyport/core',
  json: '@sallyport/http',
  text: '@sallyport/http',
  html: '@sallyport/http',
  binary: '@sallyport/http',
  redirect: '@sallyport/http',
  noContent: '@sallyport/http',
  secureHeaders: '@sallyport/http',
  expressCompat: '@sallyport/http/compat',
  honoCompat: '@sallyport/http/compat',
  middyCompat: '@sallyport/http/compat',
  powertoolsCompat: '@sallyport/http/compat',
  mountHandler: '@sallyport/http/web',
  SecureApp: '@sallyport/secure',
  defineRoutes: '@sallyport/secure',
  StatedPosture: '@sallyport/secure',
  choosePosture: '@sallyport/secure/migrate',
};

/** Successors that are types. */
export const TYPE_SUCCESSORS: readonly string[] = ['Context', 'Next', 'ResponseInput', 'StatedPosture'];

/** The codes of statuses. */
export const CODES: Readonly<Record<string, string>> = {
  '400': 'app.bad_request',
  '401': 'app.unauthorized',
  '403': 'app.forbidden',
  '404': 'app.not_found',
  '405': 'app.method_not_allowed',
  '408': 'app.timeout',
  '409': 'app.conflict',
  '413': 'app.too_large',
  '415': 'app.unsupported_media_type',
  '422': 'app.validation_failed',
  '429': 'app.rate_limited',
  '500': 'app.internal',
  '503': 'app.overloaded',
};
