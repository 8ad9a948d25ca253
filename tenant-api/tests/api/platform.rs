mod knowledge;
