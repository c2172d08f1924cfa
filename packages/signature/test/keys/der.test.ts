import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  readDer,
  readDerBitString,
  readDerInteger,
  readDerObjectIdentifier,
  readDerSequence,
  writeDer,
  writeDerBitString,
  writeDerInteger,
  writeDerNull,
  writeDerObjectIdentifier,
  writeDerOctetString,
  writeDerSequence,
} from '../../src/keys/der.ts';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (value: Uint8Array | undefined): string | undefined =>
  value && Buffer.from(value).toString('hex');

for (const [name, encoded] of [
  ['nothing', ''],
  ['a tag alone', '30'],
  ['content that is missing', '0403aabb'],
  ['bytes after the end', '0401aabb'],
  ['an indefinite length', '30800000'],
  ['a length of one byte in two', '04810161'],
  ['a length with a leading zero', `04820080${'00'.repeat(128)}`],
  ['a length of four bytes', `0484000000ff${'00'.repeat(255)}`],
  ['a reserved length', '04ff'],
  ['a length that is cut off', '0482'],
  ['a tag of two bytes', '1f8101'],
] as const) {
  test(`DER refused: ${name}`, () => assert.equal(readDer(bytes(encoded)), undefined));
}

test('integers are refused when negative, empty or longer than needed', () => {
  for (const encoded of ['0200', '0201ff', '020180', '02020001', '0202007f', '040101']) {
    assert.equal(readDerInteger(readDer(bytes(encoded))), undefined, encoded);
  }
  assert.equal(hex(readDerInteger(readDer(bytes('020100')))), '00');
  assert.equal(hex(readDerInteger(readDer(bytes('02020080')))), '80');
  assert.equal(hex(readDerInteger(readDer(bytes('0203010001')))), '010001');
});

test('bit strings are refused when they are not whole bytes', () => {
  for (const encoded of ['0300', '030201fe', '0402ff00']) {
    assert.equal(readDerBitString(readDer(bytes(encoded))), undefined, encoded);
  }
  assert.equal(hex(readDerBitString(readDer(bytes('030200ff')))), 'ff');
});

test('object identifiers are refused when padded, cut off or too large', () => {
  for (const encoded of ['0600', '06022a80', '06032a8001', '06062affffffff7f', '0402aabb']) {
    assert.equal(readDerObjectIdentifier(readDer(bytes(encoded))), undefined, encoded);
  }
  assert.equal(readDerObjectIdentifier(readDer(bytes('06092a864886f70d010101'))), '1.2.840.113549.1.1.1');
  assert.equal(readDerObjectIdentifier(readDer(bytes('0603883703'))), '2.999.3');
});

test('sequences are refused when an element is damaged and when there are too many', () => {
  assert.equal(readDerSequence(readDer(bytes('30030401'))), undefined);
  assert.equal(readDerSequence(readDer(bytes('300304020a'))), undefined);
  assert.equal(readDerSequence(readDer(bytes('0400'))), undefined);
  assert.equal(readDerSequence(undefined), undefined);
  assert.equal(
    readDerSequence(readDer(writeDerSequence(...Array<Uint8Array>(65).fill(writeDerNull())))),
    undefined,
  );
  assert.equal(
    readDerSequence(readDer(writeDerSequence(...Array<Uint8Array>(64).fill(writeDerNull()))))?.length,
    64,
  );
});

test('any bytes are answered, and what is read is written again as it was', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 300 }), (any) => {
    const element = readDer(any);
    if (element !== undefined)
      assert.deepEqual(Buffer.from(writeDer(element.tag, element.content)), Buffer.from(any));
    readDerSequence(element);
  });
  fc.assert(property);
});

test('what is written is read', () => {
  const property = fc.property(
    fc.uint8Array({ maxLength: 70_000, size: 'max' }),
    fc.bigInt({ min: 0n, max: 1n << 600n }),
    (content, number) => {
      const digits = number.toString(16);
      const magnitude = bytes(digits.length % 2 === 0 ? digits : `0${digits}`);
      const whole = writeDerSequence(
        writeDerOctetString(content),
        writeDerInteger(magnitude),
        writeDerBitString(content),
      );
      const [octets, integer, bits] = readDerSequence(readDer(whole)) ?? [];
      assert.equal(hex(octets?.content), hex(content));
      assert.equal(hex(readDerInteger(integer)), hex(magnitude));
      assert.equal(hex(readDerBitString(bits)), hex(content));
    },
  );
  fc.assert(property, { numRuns: 30 });
  for (const dotted of [
    '1.2.840.113549.1.1.1',
    '2.16.840.1.101.3.4.1.42',
    '1.3.6.1.4.1.11591.4.11',
    '0.9.2342',
  ]) {
    assert.equal(readDerObjectIdentifier(readDer(writeDerObjectIdentifier(dotted))), dotted);
  }
});
