/** The account in all ARNs of a run. */
export const ACCOUNT = '123456789012';
/** The region in all ARNs of a run. */
export const REGION = 'us-east-1';

/** The ARN of a resource of this run: `toArn('sqs', 'orders')`. */
export function toArn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}

/** The name in an ARN or a URL: the part after the last `/` or `:`. */
export function nameIn(text: string): string {
  return text.split(/[/:]/).pop() ?? '';
}
