import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Function as ServiceFunction } from 'aws-cdk-lib/aws-lambda';

/** The HTTP API in front of the function. It accepts any caller; the postures in src/app.ts check them. */
export function addHttp(stack: Stack, service: ServiceFunction): void {
  const api = new HttpApi(stack, 'Api', { defaultIntegration: new HttpLambdaIntegration('Integration', service) });
  new CfnOutput(stack, 'Url', { value: api.apiEndpoint });
}
