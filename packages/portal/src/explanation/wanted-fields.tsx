import type { RequestExplanation } from '@countersign/contract';
import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyableText } from '../components/copyable-text.tsx';

/** The signature fields that a client with another profile than the closed one should send. */
export function WantedFields({
  wanted: { signatureInput, acceptSignature },
}: {
  readonly wanted: {
    readonly [Name in keyof NonNullable<RequestExplanation['wanted']>]:
      | NonNullable<RequestExplanation['wanted']>[Name]
      | undefined;
  } & { readonly profile: string };
}): ReactElement {
  const lines = Object.entries({ 'Signature-Input': signatureInput, 'Accept-Signature': acceptSignature });
  return (
    <Stack gap={4}>
      {lines.map(([name, value]) =>
        value === undefined ? null : (
          <Text key={name} size="sm" component="div">
            {name}: <CopyableText value={value} label={name} />
          </Text>
        ),
      )}
    </Stack>
  );
}
