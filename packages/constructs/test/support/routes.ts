import { propertiesOf, type Template } from './template.js';

type Reference = { readonly Ref?: string; readonly 'Fn::GetAtt'?: readonly [string, string] };

/** The path of a resource of a REST API. */
function pathOf(template: Template, reference: unknown): string {
  const resource = template.Resources[(reference as Reference).Ref ?? ''];
  return resource ? `${pathOf(template, resource.Properties.ParentId)}/${resource.Properties.PathPart}` : '';
}

/** The logical id of the function in an ARN. */
function functionIn(value: unknown): string {
  return /"Fn::GetAtt":\["(\w+?)[0-9A-F]{8}","Arn"\]/.exec(JSON.stringify(value))?.[1] ?? 'none';
}

/** The routes of all APIs with the logical id of their function, without its hash, sorted. Methods that stream end with `STREAM`. */
export function functionsOf(template: Template): readonly string[] {
  const http = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(({ RouteKey, Target }) => {
    const id = /"Ref":"(\w+)"/.exec(JSON.stringify(Target))?.[1] ?? '';
    return `${RouteKey}: ${functionIn(template.Resources[id]?.Properties.IntegrationUri)}`;
  });
  const rest = propertiesOf(template, 'AWS::ApiGateway::Method').map(({ HttpMethod, ResourceId, Integration }) => {
    const { Uri, ResponseTransferMode } = Integration as Readonly<Record<string, string | undefined>>;
    const mode = ResponseTransferMode === 'STREAM' ? ' STREAM' : '';
    return `${HttpMethod} ${pathOf(template, ResourceId) || '/'}: ${functionIn(Uri)}${mode}`;
  });
  return [...http, ...rest].sort();
}
