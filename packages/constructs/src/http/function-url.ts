import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  type CfnUrl,
  FunctionUrlAuthType,
  FunctionUrl as FunctionUrlResource,
  type IFunction,
  InvokeMode,
} from 'aws-cdk-lib/aws-lambda';
import { type Duration, Fn, Lazy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { misuse, misuseText } from '../internal/misuse.js';
import { defineProps, flag, literal } from '../internal/props.js';
import { sharedRegistry } from '../internal/shared.js';
import { functionBehind, invokedByDoor, refuseTenantIsolation } from '../internal/targets.js';
import type { CatchAllOptions, ContainerKind, DoorRoute, IHttpDoor } from './door.js';
import { warnBuffered } from './internal/buffered.js';
import { fnProp } from './internal/props.js';
import { ResponseMode } from './internal/response-mode.js';

/** The check of a {@link FunctionUrl}'s callers. */
export class FunctionUrlAuth {
  /** AWS, by the signature of the request (SigV4). */
  static readonly IAM = new FunctionUrlAuth(FunctionUrlAuthType.AWS_IAM);
  /** The application, by the postures of its routes. Any caller reaches the function, so the application must be a `SecureApp` in a `ServiceWiring`. */
  static readonly APPLICATION = new FunctionUrlAuth(FunctionUrlAuthType.NONE);

  /** The value of the CDK. */
  readonly type: FunctionUrlAuthType;

  private constructor(type: FunctionUrlAuthType) {
    this.type = type;
  }
}

/** Props of {@link FunctionUrl}. */
export interface FunctionUrlProps {
  /** The function that answers, or its alias. */
  readonly fn: IFunction;
  /**
   * The check of the callers.
   *
   * @default FunctionUrlAuth.IAM
   */
  readonly auth?: FunctionUrlAuth;
  /**
   * True if responses are sent before the handler ends. The function must export a streaming handler.
   *
   * @default - true when a streaming route is added, else false
   */
  readonly streaming?: boolean;
}

/** Validators and defaults for {@link FunctionUrlProps}. */
export const FUNCTION_URL_PROPS = defineProps<FunctionUrlProps>('FunctionUrl')({
  fn: fnProp.required(),
  auth: literal<FunctionUrlAuth>('a value of FunctionUrlAuth', (value) => value instanceof FunctionUrlAuth).default(
    FunctionUrlAuth.IAM,
  ),
  streaming: flag,
});

const withUrl = sharedRegistry<IFunction, true>('urls/1');

/**
 * The URL of a function. Callers sign their requests, unless the application checks them.
 *
 * @example
 * const url = new FunctionUrl(this, 'Url', { fn: service.fn });
 * url.grantInvoke(caller);
 */
export class FunctionUrl extends Construct implements IHttpDoor {
  /** The URL. */
  readonly functionUrl: FunctionUrlResource;
  readonly fn: IFunction;
  readonly doorKind = 'function-url';
  readonly canStream: boolean;
  readonly bufferedTimeout: Duration | undefined = undefined;
  readonly basePath: string | undefined = undefined;
  readonly authenticatesCallers: boolean;
  readonly authorizer: 'iam' | undefined;
  readonly hasRoutes = false;
  readonly routes: readonly string[] = [];
  readonly url: string;
  readonly #mode: ResponseMode;
  #container: ContainerKind | undefined;

  /**
   * @throws ConstructError `constructs.conflict` for a function that already has a URL
   */
  constructor(scope: Construct, id: string, props: FunctionUrlProps) {
    super(scope, id);
    const { auth, streaming, ...given } = FUNCTION_URL_PROPS.parse(this, props);
    const fn = invokedByDoor(this, given.fn);
    refuseTenantIsolation(this, fn, 'function URL');
    if (withUrl.has(fn)) {
      const what = `function ${fn.node.path} has a URL already`;
      throw misuse(this, { what, expected: 'one FunctionUrl for each function or alias', code: 'constructs.conflict' });
    }
    withUrl.set(fn, true);
    this.fn = fn;
    this.canStream = streaming !== false;
    this.#mode = new ResponseMode(this, fn, 'function-url', this.canStream);
    if (streaming === true) this.#mode.addStreaming('every route');
    this.authenticatesCallers = auth === FunctionUrlAuth.IAM;
    this.authorizer = this.authenticatesCallers ? 'iam' : undefined;
    this.functionUrl = new FunctionUrlResource(this, 'Resource', { function: fn, authType: auth.type });
    const resource = this.functionUrl.node.defaultChild as CfnUrl;
    resource.invokeMode = Lazy.string({
      produce: () => (this.#mode.streams ? InvokeMode.RESPONSE_STREAM : InvokeMode.BUFFERED),
    });
    // `https://<id>.lambda-url.<region>.on.aws/`; the part after the last slash is empty.
    this.url = `https://${Fn.select(2, Fn.split('/', this.functionUrl.url))}`;
    if (this.authenticatesCallers) return;
    this.node.addValidation({ validate: () => (this.#container === 'secure' ? [] : [misuseText(this, OPEN)]) });
  }

  addRoutes(routes: readonly DoorRoute[]): void {
    const streaming = routes.find((route) => route.streaming === true);
    if (streaming) this.#stream(`${streaming.method} ${streaming.path}`);
  }

  addCatchAll({ streaming = false }: CatchAllOptions = {}): void {
    if (streaming) this.#stream('a route');
  }

  #stream(route: string): void {
    if (this.canStream) this.#mode.addStreaming(route);
    else warnBuffered(this, route);
  }

  /**
   * @internal
   * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-monitoring.html
   */
  serverErrors(): IMetric {
    const { functionName } = functionBehind(this.fn);
    const alias = this.fn instanceof Alias ? { Resource: `${functionName}:${this.fn.aliasName}` } : {};
    return new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Url5xxCount',
      dimensionsMap: { FunctionName: functionName, ...alias },
    });
  }

  attachContainer(kind: ContainerKind): void {
    this.#container = kind;
  }

  /**
   * Allows a role or a service to call the URL. That requires two permissions (https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html): `lambda:InvokeFunctionUrl`, and `lambda:InvokeFunction` through the URL only.
   */
  grantInvoke(grantee: IGrantable): Grant {
    return this.fn.grantInvokeUrl(grantee);
  }
}

const OPEN = {
  what: 'any caller can invoke the function, and no secure application is attached',
  expected: 'wiring.http(url) of a ServiceWiring whose application is a SecureApp, or FunctionUrlAuth.IAM',
};
