/** Why a form with a key can’t be submitted yet. */
export const keyBlockers = {
  reading: 'Der Schlüssel wird noch gelesen.',
  'key-not-accepted': 'Dieser öffentliche Schlüssel ist nicht verwendbar.',
  'key-not-in-profile':
    'Das Profil des Clients lässt diesen Schlüssel nicht zu. Wählen Sie einen anderen Schlüssel oder ein anderes Profil.',
  'private-key-not-saved': 'Speichern Sie zuerst den privaten Schlüssel und bestätigen Sie das.',
} as const;
