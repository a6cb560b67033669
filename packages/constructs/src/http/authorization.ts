/** Who checks the callers of an API, before the function runs. */
export class ApiAuthorization {
  /** Nobody: the application checks them, by the postures of its routes. */
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
    return new ApiAuthorization('jwt', issuer, audience);
  }

  /** Which of them it is. */
  readonly kind: 'application' | 'iam' | 'jwt';
  /** The issuer of the JWT. */
  readonly issuer: string | undefined;
  /** The accepted audiences of the JWT. */
  readonly audience: readonly string[];

  private constructor(kind: 'application' | 'iam' | 'jwt', issuer?: string, audience: readonly string[] = []) {
    this.kind = kind;
    this.issuer = issuer;
    this.audience = audience;
  }
}
