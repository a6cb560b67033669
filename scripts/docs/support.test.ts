import { checkSupport, renderSupport } from './support.js';

it('two pages state the same period for security fixes', () => {
  const page = renderSupport(
    '<!-- periods -->old<!-- /periods -->\n<!-- security-fixes -->old<!-- /security-fixes -->',
  );
  expect(page).not.toContain('old<');
  expect(page).toContain('| the number before it | security fixes, for 12 months after the newer number |');
  expect(page).toContain('| the one before it | yes, for 12 months after the newer one |');
});

it('the lines of Node.js have their dates', () => {
  expect(renderSupport('<!-- node --><!-- /node -->')).toContain(
    '| 22 | 2027-10-31 | its own support ends on 2027-04-30 |',
  );
});

it('a page without the marks is a fault, and the comments of deprecated names state their removal', () => {
  expect(checkSupport('SECURITY.md', ['security-fixes', 'node'])).toEqual(['no marks <!-- node -->']);
});
