// SPDX-License-Identifier: Apache-2.0
extern "C" void Profile();

int main() { Profile(); }
