/** Environment variables as containers read them: `process.env`, or a map in its place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Set by the Lambda service; any of them tells that the code runs there. */
const LAMBDA_VARIABLES = [
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'LAMBDA_TASK_ROOT',
  'AWS_EXECUTION_ENV',
];

/** Whether the environment is that of a real Lambda function. */
export function isLambda(environment: Environment): boolean {
  return LAMBDA_VARIABLES.some((name) => (environment[name] ?? '') !== '');
}
