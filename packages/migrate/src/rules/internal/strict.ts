import ts from 'typescript';
import { containerOf } from './containers.js';
import { type CodeRule, FileDesk, noFindings, visitAll } from './rule.js';

/** The deprecated registrations with their equally strict successors. */
const NAMES: Readonly<Record<string, string>> = { getStrict: 'get', handleStrict: 'handle' };

/** Replaces the deprecated names of registrations, on receivers that are known containers. */
export const strictRule: CodeRule = ({ checker }, _mapping, sources) => {
  const findings = noFindings();
  for (const source of sources) {
    const desk = new FileDesk(source, checker, findings);
    visitAll(source, (node) => {
      if (ts.isPropertyAccessExpression(node)) rewriteAccess(desk, node);
      else if (ts.isBindingElement(node)) rewriteBinding(desk, node);
    });
  }
  return findings;
};

function rewriteAccess(desk: FileDesk, node: ts.PropertyAccessExpression): void {
  const name = node.name.text;
  const renamed = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (renamed === undefined) return;
  const isCalled = ts.isCallExpression(node.parent) && node.parent.expression === node;
  if (!isCalled) desk.remark(node.name, `${name} is used without its container: use ${renamed}`);
  else if (containerOf(node.expression, desk.checker)) desk.replace(node.name, renamed);
  else desk.remark(node.name, `${name} of something that is not known to be a container: use ${renamed} if it is one`);
}

/** `const { getStrict } = app`. */
function rewriteBinding(desk: FileDesk, { propertyName, name }: ts.BindingElement): void {
  const key = propertyName ?? name;
  if (ts.isIdentifier(key) && Object.hasOwn(NAMES, key.text)) {
    desk.remark(key, `${key.text} is used without its container: use ${NAMES[key.text]}`);
  }
}
