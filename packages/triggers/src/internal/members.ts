/** Members of an event that the fixed table reads; they cannot name a handler. */
export const TABLE_MEMBERS: readonly string[] = [
  'Records',
  'detail-type',
  'detailType',
  'info',
  'arguments',
  'requestContext',
  'routeKey',
  'httpMethod',
];

/** The name of a member of an event. */
export const MEMBER_NAME = /^[A-Za-z_$][\w$-]*$/;
