"""Code pages that Python has no codec for, as differences from one that it has.

An entry is (the Python codec to start from, the bytes that differ in hexadecimal, the characters they stand
for). U+FFFE marks a byte without a character. Most EBCDIC pages are CCSID 500 with some places changed: the
national ones hold the 256 characters of ISO 8859-1 in another order.
"""

Difference = tuple[str, str, str]

EBCDIC: dict[int, Difference] = {
    # Austria, Germany
    273: (
        "cp273",
        "bc",
        "¯",
    ),
    # Denmark, Norway
    277: (
        "cp500",
        "474a5a5b676a707b7c809c9e9fa1c0d0dc",
        "}#¤Å$ø¦ÆØ@{[]üæå~",
    ),
    # Finland, Sweden
    278: (
        "cp500",
        "43474a515a5b63676a71797b7c9fa1b5c0ccd0dce0ec",
        "{}§`¤Å#$ö\\éÄÖ]ü[ä¦å~É@",
    ),
    # Italy
    280: (
        "cp500",
        "44484a5154585a6a797b7c90a1b1b5c0cdd0dde0",
        "{\\°]}~éòù£§[ì#@à¦è`ç",
    ),
    # Spain, Latin America
    284: (
        "cp500",
        "494f5f696a7ba1babbbd",
        "¦|¬#ñÑ¨^!~",
    ),
    # United Kingdom
    285: (
        "cp500",
        "4a4f5a5b5fa1b1babbbc",
        "$|!£¬¯[^]~",
    ),
    # France
    297: (
        "cp500",
        "44484a51545a6a797b7c90a0a1b1b5bdc0d0dde0",
        "@\\°{}§ùµ£à[`¨#]~éè¦ç",
    ),
    # Arabic
    420: (
        "cp500",
        "42434445464748494a4f5152535455565758595a5f6263646566676869707172"
        "73747576777879808a8b8c8d8e8f909a9b9c9d9e9fa0a1aaabacadaeafb0b1b2"
        "b3b4b5b6b7b8b9babbbcbdbebfc0cbcccdcecfd0dadbdcdddedfe0e1eaebeced"
        "eeeffafbfcfdfe",
        "\u0651\ufe7d\u0640\u200b\u0621\u0622\ufe82\u0623¢|\ufe84\u0624\ufffe\ufffe\u0626\u0627\ufe8e"
        "\u0628\ufe91!¬\u0629\u062a\ufe97\u062b\ufe9b\u062c\ufe9f\u062d\ufea3\u062e\ufea7\u062f\u0630"
        "\u0631\u0632\u0633\ufeb3\u060c\u0634\ufeb7\u0635\ufebb\u0636\ufebf\u0637\u0638\u0639\ufeca"
        "\ufecb\ufecc\u063a\ufece\ufecf÷\ufed0\u0641\ufed3\u0642\ufed7\u0643\ufedb\u0644\ufef5\ufef6"
        "\ufef7\ufef8\ufffe\ufffe\ufefb\ufefc\ufedf\u0645\ufee3\u0646\ufee7\u0647\u061b\ufeeb\ufffe"
        "\ufeec\ufffe\u0648\u061f\u0649\ufef0\u064a\ufef2\ufef3\u0660×\ufffe\u0661\u0662\ufffe\u0663"
        "\u0664\u0665\ufffe\u0666\u0667\u0668\u0669",
    ),
    # Latin 2, Central Europe
    870: (
        "cp500",
        "4446474952545758646667696a7072747778808a8b8c8e8f9a9b9c9ea0aaabac"
        "aeafb0b1b2b3b4b6b7b8b9babbbccdcfdadbdddfeaedeffafbfd",
        "ţăčćęůľĺ˝ĂČĆ|ˇĘŮĽĹ˘śňđřşłńš˛ąŚŇĐŘŞ˙ĄżŢŻžźŽŹŁŃŠŕőĚűťěďŔŐĎŰŤ",
    ),
    # Iceland
    871: (
        "cp500",
        "4a5a5f797c8c8e9c9ea1acaebec0ccd0e0ec",
        "ÞÆÖðÐ`{}]ö@[\\þ~æ´^",
    ),
    # Greek
    875: (
        "cp875",
        "dce1ecedfcfd",
        "\ufffe\ufffe\ufffe\ufffe\ufffe\ufffe",
    ),
    # Cyrillic
    1025: (
        "cp500",
        "424344454647484951525354555657585962636465666768696a707172737475"
        "767778808a8b8c8d8e8f909a9b9c9d9e9fa0aaabacadaeafb0b1b2b3b4b5b6b7"
        "b8b9babbbcbdbebfcacbcccdcecfdadbdcdddedfe1eaebecedeeeffafbfcfdfe",
        "ђѓёєѕіїјљњћќўџЪ№ЂЃЁЄЅІЇЈЉ|ЊЋЌ\xadЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРС§ТУЖВЬЫЗШЭЩЧ",
    ),
    # Latin 1, open systems
    1047: (
        "cp500",
        "4a4f5aadb0babbbd",
        "¢|![¬Ý¨]",
    ),
    # Baltic
    1112: (
        "cp500",
        "4244454648494a4f525354555657585a5f626465666869727374757677788c8d"
        "8e9a9b9daaabacadaeb0b2babbbcbdbecbcddbdddedfebedfbfdfe",
        "šąįūēž¢|ęėčų\u201e\u201cģ!¬ŠĄĮŪĒŽĘĖČŲĪĻĢāżńŖŗķ\u201dźĀŻŃ^ī[]ŹĶļōņćłś\u2019ŌŅĆŁŚ",
    ),
    # Estonia
    1122: (
        "cp500",
        "43474a515a5b63676a71797b7c8c8e9fa1acaeb5c0ccd0dce0ec",
        "{}§`¤Å#$ö\\éÄÖšž]üŠŽ[ä¦å~É@",
    ),
    # Ukraine
    1123: (
        "cp500",
        "424344454647484951525354555657585962636465666768696a707172737475"
        "767778808a8b8c8d8e8f909a9b9c9d9e9fa0aaabacadaeafb0b1b2b3b4b5b6b7"
        "b8b9babbbcbdbebfcacbcccdcecfdadbdcdddedfe1eaebecedeeeffafbfcfdfe",
        "ђґёєѕіїјљњћќўџЪ№ЂҐЁЄЅІЇЈЉ|ЊЋЌ\xadЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРС§ТУЖВЬЫЗШЭЩЧ",
    ),
}

ASCII: dict[int, Difference] = {
    # Arabic, PC data; Python's page has the Arabic percent sign in the place of the plain one
    864: (
        "cp864",
        "25",
        "%",
    ),
    # Thai, PC data
    874: (
        "cp874",
        "808591929394959697a0dbdcdddefcfdfeff",
        "\ufffe\ufffe\ufffe\ufffe\ufffe\ufffe\ufffe\ufffe\ufffe\u0e48\u0e49\u0e4a\u0e4b\u0e4c¢¬¦\xa0",
    ),
    # Baltic, ISO, with euro
    901: (
        "iso8859_13",
        "a4",
        "€",
    ),
    # Estonia, ISO, with euro
    902: (
        "latin_1",
        "a4d0def0fe",
        "€ŠŽšž",
    ),
    # Estonia, ISO
    922: (
        "latin_1",
        "d0def0fe",
        "ŠŽšž",
    ),
    # Ukraine, ISO
    1124: (
        "iso8859_5",
        "a3f3",
        "Ґґ",
    ),
}

# The page of the second number, with the euro sign in the place of the currency sign (in 1154 and 1158, which
# have no currency sign, in the place of the section sign).
EURO: dict[int, tuple[int, str]] = {
    808: (866, "¤"),
    872: (855, "¤"),
    1140: (37, "¤"),
    1141: (273, "¤"),
    1142: (277, "¤"),
    1143: (278, "¤"),
    1144: (280, "¤"),
    1145: (284, "¤"),
    1146: (285, "¤"),
    1147: (297, "¤"),
    1148: (500, "¤"),
    1149: (871, "¤"),
    1153: (870, "¤"),
    1154: (1025, "§"),
    1155: (1026, "¤"),
    1156: (1112, "¤"),
    1157: (1122, "¤"),
    1158: (1123, "§"),
}

# The page of the second number, with the characters of ISO 8859-15 where it has those of ISO 8859-1
LATIN_9: dict[int, int] = {924: 1047}
LATIN_9_CHARACTERS: dict[int, int] = str.maketrans("¤¦¨´¸¼½¾", "€ŠšŽžŒœŸ")
