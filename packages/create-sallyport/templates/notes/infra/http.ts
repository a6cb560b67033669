import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Function as ServiceFunction } from 'aws-cdk-lib/aws-lambda';

/** The HTTP API before the function. Everybody reaches it; the postures in src/app.ts decide. */
export function addHttp(stack: Stack, service: ServiceFunction): void {
  const api = new HttpApi(stack, 'Api', { defaultIntegration: new HttpLambdaIntegration('Integration', service) });
  new CfnOutput(stack, 'Url', { value: api.apiEndpoint });
}
