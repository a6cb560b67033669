/** An operation of a user pool, as the CDK names it, and its trigger sources. */
export interface CognitoOperation {
  readonly operation: string;
  readonly sources: readonly string[];
}

/**
 * The operations of user pools, by the beginning of their trigger sources. Custom senders are missing: they need a key of the pool.
 *
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html#working-with-lambda-trigger-sources
 */
export const COGNITO_SOURCES: Readonly<Record<string, CognitoOperation>> = {
  PreSignUp: { operation: 'preSignUp', sources: ['SignUp', 'AdminCreateUser', 'ExternalProvider'] },
  PostConfirmation: { operation: 'postConfirmation', sources: ['ConfirmSignUp', 'ConfirmForgotPassword'] },
  PreAuthentication: { operation: 'preAuthentication', sources: ['Authentication'] },
  PostAuthentication: { operation: 'postAuthentication', sources: ['Authentication'] },
  CustomMessage: {
    operation: 'customMessage',
    sources: [
      'SignUp',
      'AdminCreateUser',
      'ResendCode',
      'ForgotPassword',
      'UpdateUserAttribute',
      'VerifyUserAttribute',
      'Authentication',
    ],
  },
  TokenGeneration: {
    operation: 'preTokenGeneration',
    sources: ['HostedAuth', 'Authentication', 'NewPasswordChallenge', 'AuthenticateDevice', 'RefreshTokens'],
  },
  UserMigration: { operation: 'userMigration', sources: ['Authentication', 'ForgotPassword'] },
  DefineAuthChallenge: { operation: 'defineAuthChallenge', sources: ['Authentication'] },
  CreateAuthChallenge: { operation: 'createAuthChallenge', sources: ['Authentication'] },
  VerifyAuthChallengeResponse: { operation: 'verifyAuthChallengeResponse', sources: ['Authentication'] },
};
