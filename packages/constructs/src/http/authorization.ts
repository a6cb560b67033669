import type { LambdaAuthorizerProps } from './lambda-authorizer.js';

/** The check of an API's callers before the function runs. */
export class ApiAuthorization {
  /** No check by AWS: the application checks callers with the postures of its routes. */
  static readonly APPLICATION = new ApiAuthorization('application');
  /** AWS, by the signature of the request (SigV4). */
  static readonly IAM = new ApiAuthorization('iam');

  /**
   * API Gateway, by a JWT of an issuer. Only `HttpApi` has this authorizer.
   *
   * @param issuer the address of the issuer, `https://issuer.example`
   * @param audience the accepted audiences; at least one
   */
  static jwt(issuer: string, audience: readonly string[]): ApiAuthorization {
    return new ApiAuthorization('jwt', { issuer, audience });
  }

  /**
   * A function that receives only the token, `tokenAuthorizer()` of `@sallyport/triggers`. Only `RestApi` has this authorizer. For an
   * authorizer application with a {@link ServiceWiring}, `wiring.authorizer()` creates this value.
   *
   * @example new RestApi(this, 'Api', { fn, authorization: ApiAuthorization.token({ fn: authorizer.fn }) });
   */
  static token(props: LambdaAuthorizerProps): ApiAuthorization {
    return new ApiAuthorization('token', { lambda: props });
  }

  /**
   * A separate function that receives the request, `requestAuthorizer()` of `@sallyport/triggers`: for `HttpApi` with the form `simple`,
   * for `RestApi` with the form `policy`.
   *
   * @example new HttpApi(this, 'Api', { fn, authorization: ApiAuthorization.request({ fn: authorizer.fn }) });
   */
  static request(props: LambdaAuthorizerProps): ApiAuthorization {
    return new ApiAuthorization('request', { lambda: props });
  }

  /** The name of the value. */
  readonly kind: 'application' | 'iam' | 'jwt' | 'token' | 'request';
  /** The issuer of the JWT. */
  readonly issuer: string | undefined;
  /** The accepted audiences of the JWT. */
  readonly audience: readonly string[];
  /** The authorizer function. */
  readonly lambda: LambdaAuthorizerProps | undefined;

  /** The check of the callers by AWS; `undefined` for the application. */
  get authorizer(): 'iam' | 'jwt' | 'lambda' | undefined {
    if (this.kind === 'application') return undefined;
    return this.kind === 'iam' || this.kind === 'jwt' ? this.kind : 'lambda';
  }

  private constructor(
    kind: ApiAuthorization['kind'],
    {
      issuer,
      audience = [],
      lambda,
    }: { issuer?: string; audience?: readonly string[]; lambda?: LambdaAuthorizerProps } = {},
  ) {
    this.kind = kind;
    this.issuer = issuer;
    this.audience = audience;
    this.lambda = lambda;
  }
}
