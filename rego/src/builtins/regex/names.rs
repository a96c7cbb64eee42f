//! The names of classes of Unicode that Go 1.26 knows (`unicode.Categories`, `unicode.CategoryAliases`, `unicode.Scripts`).
//!
//! Scripts of more than one word are missing, as they are in Go: it looks for `Olditalic`, and its table has `Old_Italic`.

/// The code of each category, and what else it is called.
pub(super) const CATEGORIES: [(&str, &[&str]); 38] = [
    ("C", &["Other"]),
    ("Cc", &["Cntrl", "Control"]),
    ("Cf", &["Format"]),
    ("Cn", &["Unassigned"]),
    ("Co", &["Privateuse"]),
    ("Cs", &["Surrogate"]),
    ("L", &["Letter"]),
    ("LC", &["Casedletter", "Lc"]),
    ("Ll", &["Lowercaseletter"]),
    ("Lm", &["Modifierletter"]),
    ("Lo", &["Otherletter"]),
    ("Lt", &["Titlecaseletter"]),
    ("Lu", &["Uppercaseletter"]),
    ("M", &["Combiningmark", "Mark"]),
    ("Mc", &["Spacingmark"]),
    ("Me", &["Enclosingmark"]),
    ("Mn", &["Nonspacingmark"]),
    ("N", &["Number"]),
    ("Nd", &["Decimalnumber", "Digit"]),
    ("Nl", &["Letternumber"]),
    ("No", &["Othernumber"]),
    ("P", &["Punct", "Punctuation"]),
    ("Pc", &["Connectorpunctuation"]),
    ("Pd", &["Dashpunctuation"]),
    ("Pe", &["Closepunctuation"]),
    ("Pf", &["Finalpunctuation"]),
    ("Pi", &["Initialpunctuation"]),
    ("Po", &["Otherpunctuation"]),
    ("Ps", &["Openpunctuation"]),
    ("S", &["Symbol"]),
    ("Sc", &["Currencysymbol"]),
    ("Sk", &["Modifiersymbol"]),
    ("Sm", &["Mathsymbol"]),
    ("So", &["Othersymbol"]),
    ("Z", &["Separator"]),
    ("Zl", &["Lineseparator"]),
    ("Zp", &["Paragraphseparator"]),
    ("Zs", &["Spaceseparator"]),
];

/// Scripts, apart by blanks.
pub(super) const SCRIPTS: &str = "Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese \
    Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari \
    Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han \
    Hangul Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer \
    Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean \
    Marchen Medefaidrin Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham \
    Oriya Osage Osmanya Palmyrene Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala \
    Sogdian Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan \
    Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Yezidi Yi";
