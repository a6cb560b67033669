import type { RunBase } from '../host/base.js';
import type { FunctionAccess } from '../host/host.js';

/**
 * Reports once what a run assumes: settings of the front doors that neither `sallyport.json` nor a template, plan or manifest states, and the
 * local issuer that replaces the issuer of the deployed API.
 */
export function sayAssumptions({ config, notice, inspection, onInspection }: RunBase & FunctionAccess): void {
  const { deployed, routes, binaryMediaTypes } = config;
  const issuers = deployed?.fn.doors.flatMap(({ jwt = {} }) =>
    Object.values(jwt).flatMap(({ issuer }) => issuer ?? []),
  );
  for (const issuer of new Set(issuers)) {
    notice(
      `${deployed?.file}: the JWT authorizer accepts tokens of ${issuer}; here it accepts tokens of the local issuer`,
    );
  }
  if (deployed !== undefined) return;
  let isSaid = false;
  const say = () => {
    const { isOurs, routes: registered } = inspection();
    // A Sallyport service without routes has no front door to make assumptions about.
    if (isSaid || (isOurs && !registered.some(({ surface }) => surface === 'http'))) return;
    isSaid = true;
    const assumed = [
      ...(routes.length > 0 || isOurs ? [] : ['routes: every request is $default']),
      ...(binaryMediaTypes === undefined ? [`binaryMediaTypes of the REST API: ${isOurs ? '*/*' : 'none'}`] : []),
    ];
    if (assumed.length === 0) return;
    notice(`assumed, because no --template, manifest or sallyport.json states it: ${assumed.join('; ')}`);
  };
  onInspection(say);
}
