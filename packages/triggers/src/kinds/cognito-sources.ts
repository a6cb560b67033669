/** The reasons for messages. */
const MESSAGES = [
  'AdminCreateUser',
  'Authentication',
  'ForgotPassword',
  'ResendCode',
  'SignUp',
  'UpdateUserAttribute',
  'VerifyUserAttribute',
] as const;
/**
 * The trigger sources of Cognito user pools, by their part before the first `_`:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html#cognito-user-identity-pools-working-with-aws-lambda-trigger-sources
 */
const SOURCES = {
  CreateAuthChallenge: ['Authentication'],
  CustomEmailSender: [...MESSAGES, 'AccountTakeOverNotification'],
  CustomMessage: MESSAGES,
  CustomSMSSender: MESSAGES,
  DefineAuthChallenge: ['Authentication'],
  InboundFederation: ['ExternalProvider'],
  PostAuthentication: ['Authentication'],
  PostConfirmation: ['ConfirmForgotPassword', 'ConfirmSignUp'],
  PreAuthentication: ['Authentication'],
  PreSignUp: ['AdminCreateUser', 'ExternalProvider', 'SignUp'],
  TokenGeneration: [
    'AuthenticateDevice',
    'Authentication',
    'ClientCredentials',
    'HostedAuth',
    'NewPasswordChallenge',
    'RefreshTokens',
  ],
  UserMigration: ['Authentication', 'ForgotPassword'],
  VerifyAuthChallengeResponse: ['Authentication'],
} as const;

type Sources = typeof SOURCES;

/** A trigger source of a user pool, or `PreSignUp_*` for all that begin alike. */
export type CognitoTriggerSource = {
  [Name in keyof Sources]: `${Name}_${Sources[Name][number] | '*'}`;
}[keyof Sources];

/** The reason why a name is not a trigger source of Cognito, with similar sources; `''` for a trigger source. */
export function sourceMistake(source: string): string {
  const [name = '', rest = ''] = source.split(/_(.*)/s, 2);
  const near = Object.entries(SOURCES).find(([known]) => known.toLowerCase() === name.toLowerCase());
  if (!near) return `"${source}" is not a source of Cognito, which are ${Object.keys(SOURCES).join('_*, ')}_*`;
  const [known, parts] = near;
  if (known === name && (rest === '*' || (parts as readonly string[]).includes(rest))) return '';
  return `"${source}" is not a source of Cognito: did you mean ${[...parts, '*'].map((part) => `${known}_${part}`).join(' or ')}?`;
}
