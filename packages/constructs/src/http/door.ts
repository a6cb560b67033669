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
   * True if the answer is sent before the handler ends.
   *
   * @default false
   */
  readonly streaming?: boolean;
  /**
   * Leaves out the authorizer of the API for this route: the application decides who may call.
   *
   * @default false
   */
  readonly withoutAuthorizer?: boolean;
}

/** How a catch-all route is made. */
export interface CatchAllOptions {
  /**
   * True if answers are sent before the handler ends.
   *
   * @default false
   */
  readonly streaming?: boolean;
}

/** Which container an application is: `secure` for a `SecureApp`, whose operations all have a posture, `open` for the others. */
export type ContainerKind = 'secure' | 'open';

/** Through what HTTP requests reach a function: an API, a function URL or a load balancer. */
export interface IHttpDoor extends IConstruct {
  /** The function behind the door. */
  readonly fn: IFunction;
  /** The service that sends the requests. */
  readonly doorKind: 'http-api' | 'rest-api' | 'function-url' | 'load-balancer';
  /** True if it can send an answer before the handler ends. */
  readonly canStream: boolean;
  /** How long it waits for an answer that is not streamed; `undefined` where only the function's timeout counts. */
  readonly bufferedTimeout: Duration | undefined;
  /** True if AWS checks every caller before the function runs. */
  readonly authenticatesCallers: boolean;
  /** The first part of every public path of its domain, without slashes; `undefined` if absent. */
  readonly basePath: string | undefined;
  /** The address of the application, without a slash at its end; `undefined` where the door does not know it. */
  readonly url: string | undefined;
  /**
   * Lets these routes through.
   *
   * @throws ConstructError `constructs.invalid_prop` for a pattern that the service cannot route, or a streaming route where it buffers
   */
  addRoutes(routes: readonly DoorRoute[]): void;
  /** Lets every request through; the application answers 404 and 405 itself. */
  addCatchAll(options?: CatchAllOptions): void;
  /** Says which container the application is. `ServiceWiring` calls it. */
  attachContainer(kind: ContainerKind): void;
}
