import { PAYMENT_XML_PATTERNS, sanitizeXml } from '../src/observability.js';

describe('sanitizeXml', () => {
  it.each([
    ['', ''],
    ['<a>plain</a>', '<a>plain</a>'],
    ['<ns:CVV x="1">123</ns:CVV>', '<ns:CVV x="1">[REDACTED]</ns:CVV>'],
    ['<cvv>123</cvv><b>x</b>', '<cvv>[REDACTED]</cvv><b>x</b>'],
    ['<CVV\n  x="1"\n>123</CVV >tail', '<CVV   x="1" >[REDACTED]</CVV>tail'],
    ['<a password=\'x\' b="y"/>', '<a password=\'[REDACTED]\' b="y"/>'],
    ['<a ns:Password = "x">t</a>', '<a ns:Password = "[REDACTED]">t</a>'],
    ['<a password=x>t</a>', '<a password=[REDACTED]>t</a>'],
    ['<AcctNum>4111111111111111</AcctNum>', '<AcctNum>411111******1111</AcctNum>'],
    ['<CardNum><![CDATA[4111111111111111]]></CardNum>', '<CardNum>411111******1111</CardNum>'],
    ['<CardNumber>4111<x/>1111</CardNumber>', '<CardNumber>[REDACTED]</CardNumber>'],
    ['<TrackData>%B4111^X</TrackData>', '<TrackData>[REDACTED]</TrackData>'],
    [
      '<ExpDate>1226</ExpDate><ExpiryDate>1226</ExpiryDate>',
      '<ExpDate>[REDACTED]</ExpDate><ExpiryDate>[REDACTED]</ExpiryDate>',
    ],
    ['<TransArmorToken>123456789012</TransArmorToken>', '<TransArmorToken>********9012</TransArmorToken>'],
    ['<TransArmorToken>1234</TransArmorToken>', '<TransArmorToken>****</TransArmorToken>'],
    ['<ssn>123-45-6789</ssn>', '<ssn>*****6789</ssn>'],
    ['<Access_Token>x</Access_Token>', '<Access_Token>[REDACTED]</Access_Token>'],
    [
      '<PanDetails><Account_Number>4111111111111111</Account_Number></PanDetails>',
      '<PanDetails><Account_Number>411111******1111</Account_Number></PanDetails>',
    ],
    ['<account_number>4111111111111111</account_number>', '<account_number>************1111</account_number>'],
    ['<x:MyPasswordHash>h</x:MyPasswordHash>', '<x:MyPasswordHash>[REDACTED]</x:MyPasswordHash>'],
    ['<A><b></a><CVV>1</cvv>', '<A><b></a><CVV>[REDACTED]</cvv>'],
    ['<a idToken="h" JWTValue="h" tokenized="ok"/>', '<a idToken="[REDACTED]" JWTValue="[REDACTED]" tokenized="ok"/>'],
    ['<number>12345678901</number>', '<number>12345678901</number>'],
    ['<number>4111111111111111</number>', '<number>411111******1111</number>'],
    ['<max_tokens>5</max_tokens>', '<max_tokens>5</max_tokens>'],
    ['&lt;CVV&gt;123&lt;/CVV&gt; tail', '&lt;CVV&gt;[REDACTED]&lt;/CVV&gt; tail'],
    ['&#60;CVV&#62;123&#60;/CVV&#62;', '&#60;CVV&#62;[REDACTED]&#60;/CVV&#62;'],
    ['&amp;lt;CVV&amp;gt;1&amp;lt;/CVV&amp;gt;', '&amp;lt;CVV&amp;gt;[REDACTED]&amp;lt;/CVV&amp;gt;'],
    ['&lt;a password=&quot;x&quot;&gt;', '&lt;a password=&quot;[REDACTED]&quot;&gt;'],
    ['<m><![CDATA[<CVV>1</CVV>]]></m>', '<m><![CDATA[<CVV>[REDACTED]</CVV>]]></m>'],
    ['<CVV><![CDATA[</CVV>123]]></CVV>x', '<CVV>[REDACTED]</CVV>x'],
    ['<CVV>1<!-- </CVV> -->2</CVV>x', '<CVV>[REDACTED]</CVV>x'],
    ['<CVV>1<ns:cvv>2</ns:cvv>3</CVV>x', '<CVV>[REDACTED]</CVV>x'],
    ['<a x="&lt;CVV&gt;1&lt;/CVV&gt;"/>', '<a x="&lt;CVV&gt;[REDACTED]&lt;/CVV&gt;"/>'],
    ['<a><!-- 4111111111111111 --><b/></a>', '<a><b/></a>'],
    ['<!DOCTYPE a [<!ENTITY e "secret">]><a>&e;</a>', '<a>&e;</a>'],
    ['<?xml version="1.0"?><a/>', '<?xml version="1.0"?><a/>'],
    ['<CVV>123', '<CVV>[REDACTED]'],
    ['<CVV>123<b>x</b>', '<CVV>[REDACTED]'],
    ['<b>1</b><CVV 123', '<b>1</b>[REDACTED]'],
    ['<b x="1>secret</b>', '[REDACTED]'],
    ['<a/><!-- open', '<a/>'],
    ['a < b, b > a', 'a < b, b > a'],
    ['<a>mail alice@example.com 4111111111111111</a>', '<a>mail [REDACTED] 411111******1111</a>'],
    ['<a>&quot;password&quot;:&quot;x&quot;</a>', '<a>&quot;password&quot;:&quot;[REDACTED]&quot;</a>'],
    ['<a>x\u2028y\u001b</a>', '<a>xy</a>'],
    ['<CVV/><b>1</b>', '<CVV/><b>1</b>'],
  ])('writes %j as %j', (xml, expected) => {
    expect(sanitizeXml(xml)).toBe(expected);
  });

  it('accepts further patterns, which cannot show what is always redacted', () => {
    const patterns = [
      { name: 'LoyaltyId', mask: 'restricted' as const },
      { name: 'Nick', mask: (value: string) => value.slice(0, 1) },
      {
        name: 'Bad',
        mask: () => {
          throw new Error('x');
        },
      },
      { name: 'Password', mask: (value: string) => value },
    ];
    expect(
      sanitizeXml(
        '<x:loyaltyid>123456789</x:loyaltyid><Nick>bob</Nick><Bad>1</Bad><Password>p</Password><CVV>1</CVV>',
        patterns,
      ),
    ).toBe(
      '<x:loyaltyid>*****6789</x:loyaltyid><Nick>b</Nick><Bad>[REDACTED]</Bad><Password>[REDACTED]</Password><CVV>[REDACTED]</CVV>',
    );
  });

  it('lists the payment names', () => {
    expect(PAYMENT_XML_PATTERNS.map(({ name }) => name).join(' ')).toBe(
      'AcctNum CardNum CardNumber TrackData CVV CVV2 CVC ExpDate ExpiryDate Password TransArmorToken',
    );
  });

  it.each([
    ['<'],
    ['<a '],
    ['<a b="'],
    ['&lt;'],
    ['<![CDATA['],
    ['<!--'],
    ['</a'],
    ['<CVV>'],
    ['<a>'],
    ['<!x['],
    ['<CVV>1</CVV'],
    ['&quot;'],
  ])('ends on 1 MiB of %j', (unit) => {
    expect(typeof sanitizeXml(unit.repeat(2 ** 20 / unit.length))).toBe('string');
  });
});
