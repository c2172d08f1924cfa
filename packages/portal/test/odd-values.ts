/** Legal as a clientId, and full of what shells and languages read as something else. */
export const oddClientId = "it's-$HOME-$(id)-`id`-${x}-%d-{0}-#{x}-<?-<b>&amp;";

/** A file name that a person could type. */
export const oddFile = "it's $HOME `id` 5%-{0}-#{x}.pem";
