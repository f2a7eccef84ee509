// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "harness.h"

namespace {

std::string repeated(const std::string& text, int times)
{
    std::string out;
    for (int i = 0; i < times; ++i)
        out += text;
    return out;
}

std::string inKernel(const std::string& body)
{
    return "extern \"C\" void kernel(float* c, int n) { " + body + " }";
}

std::string laughs()
{
    std::string out = "#define A0 1+1+1+1+1+1+1+1+1+1\n";
    for (int i = 1; i < 8; ++i) {
        const auto inner = "A" + std::to_string(i - 1);
        out += "#define A" + std::to_string(i) + " " + inner + repeated("+" + inner, 9) + "\n";
    }
    return out + "int x = A7;";
}

} // namespace

std::vector<std::pair<const char*, std::string>> brokenSources()
{
    return {
        { "empty", "" },
        { "prose", "I cannot help with that." },
        { "binary", std::string("\0\xff\xfe{{{", 6) },
        { "unbalanced", "extern \"C\" void kernel() { for (int i = 0; i < 3; ++i) {" },
        { "no function", "int x = 3;" },
        { "device", "#include \"/dev/zero\"\nvoid kernel() {}" },
        { "outside", "#include \"../../etc/passwd\"\nvoid kernel() {}" },
        { "include by macro", "#define X </dev/zero>\n#include X\nvoid kernel() {}" },
        { "missing header", "#include <no_such_header.h>\nvoid kernel() {}" },
        { "itself", "#include \"kernel.cpp\"\nvoid kernel() {}" },
        { "deep", inKernel("c[0] = " + repeated("(", 20000) + "1" + repeated(")", 20000) + ";") },
        { "deep unary", inKernel("c[0] = " + repeated("!", 30000) + "1;") },
        { "large", "// " + repeated("x", 1 << 20) },
        { "long sum", inKernel("c[0] = 1" + repeated("+1", 20000) + ";") },
        { "many laughs", laughs() },
        { "doubled arguments",
            "#define T(x) x x\nint y[] = { " + repeated("T(", 60) + "1," + repeated(")", 60) + " };" },
        { "else if", inKernel(repeated("if (n == 1) c[0] = 1; else ", 8000) + "c[1] = 2;") },
        { "for in for", inKernel(repeated("for (;;) ", 20000) + "c[1] = 2;") },
        { "macro loop", "#define LOOP for (int i = 0; i < n; ++i) c[i] = 1;\n" + inKernel("LOOP LOOP") },
    };
}
