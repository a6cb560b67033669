import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Duration } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** A route of an application, as `app.routes()` lists it. */
export interface DoorRoute {
  /** HTTP method in upper case; `ANY` for all of them. */
  readonly method: string;
  /** Pattern of the router: `/notes/{id}`, `/files/{path+}`. */
  readonly path: string;
  /**
   * True if the response is sent before the handler ends.
   *
   * @default false
   */
  readonly streaming?: boolean;
  /**
   * Leaves out the API's authorizer for this route: the application checks the caller. A route that is added twice has no authorizer if one of the two
   * calls leaves it out.
   *
   * @default false
   */
  readonly withoutAuthorizer?: boolean;
  /**
   * True for the preflight of a path, which every function with the path answers: at a shared API, the first of them has the route.
   *
   * @internal
   */
  readonly isPreflight?: boolean;
}

/** Options of a catch-all route. */
export interface CatchAllOptions {
  /**
   * True if responses are sent before the handler ends.
   *
   * @default false
   */
  readonly streaming?: boolean;
  /**
   * Paths: only requests for them and the paths below them, `/reports` and `/reports/{path+}`, reach the function. Only for a door with routes.
   *
   * @default - every request
   */
  readonly under?: readonly string[];
  /**
   * The routes of the application that only the catch-all covers, to find routes that no request reaches.
   *
   * @internal
   */
  readonly registered?: readonly DoorRoute[];
}

/** The container of an application: `secure` for a `SecureApp`, whose operations all have a posture; otherwise `open`. */
export type ContainerKind = 'secure' | 'open';

/** Settings of a door in the manifest, with the names that `sallyport.json` has for them. */
export interface DoorManifestSettings {
  readonly stage?: string;
  /** Media types that a REST API treats as binary. */
  readonly binaryMediaTypes?: readonly string[];
  /** True if events and answers have lists of headers: a setting of the target group of a load balancer. */
  readonly multiValueHeaders?: boolean;
  /** The JWT authorizer of the API. */
  readonly jwt?: { readonly issuer: string; readonly audience: readonly string[] };
  /** Routes without the authorizer. */
  readonly open?: readonly string[];
}

/** A front door of a function for HTTP requests: an API, a function URL or a load balancer. */
export interface IHttpDoor extends IConstruct {
  /** The function that the door invokes. */
  readonly fn: IFunction;
  /** The service that sends the requests. */
  readonly doorKind: 'http-api' | 'rest-api' | 'function-url' | 'load-balancer';
  /** True if it can send a response before the handler ends. */
  readonly canStream: boolean;
  /** The timeout of a response that is not streamed; `undefined` if only the function timeout applies. */
  readonly bufferedTimeout: Duration | undefined;
  /** True if AWS checks the caller of every route before the function runs, except of routes that are added without an authorizer. */
  readonly authenticatesCallers: boolean;
  /** The check of the callers by AWS; `undefined` if absent. */
  readonly authorizer: 'iam' | 'jwt' | 'lambda' | undefined;
  /** True if the door can have routes with different authorizers; otherwise every request reaches the function in the same way. */
  readonly hasRoutes: boolean;
  /**
   * The number of answers of 500 or more that clients received; `undefined` if another door of the same API has the metric.
   *
   * @internal
   */
  serverErrors(): IMetric | undefined;
  /**
   * The settings that a local runtime needs; the manifest does not contain tokens.
   *
   * @internal
   */
  manifestSettings?(): DoorManifestSettings;
  /** The added routes, `GET /notes`; empty for a door without routes. */
  readonly routes: readonly string[];
  /** The first part of every public path of its domain, without slashes; `undefined` if absent. */
  readonly basePath: string | undefined;
  /** The address of the application, without a trailing slash; `undefined` if unknown. */
  readonly url: string | undefined;
  /**
   * Adds these routes.
   *
   * @throws ConstructError `constructs.invalid_prop` for a pattern that the service cannot route, or a streaming route where it buffers
   */
  addRoutes(routes: readonly DoorRoute[]): void;
  /** Routes every request, or every request under some paths, to the function; the application answers 404 and 405 itself. */
  addCatchAll(options?: CatchAllOptions): void;
  /** Sets the container of the application. `ServiceWiring` calls it. */
  attachContainer(kind: ContainerKind): void;
}
